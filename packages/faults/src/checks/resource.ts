/** Checks of the URL, the challenge and the protected resource metadata. Each is undefined where nothing was seen. */
import { isLoopbackName } from '../../../../src/protocol/loopback-name.ts'
import { type Answer, answer, type Check, isUrl, on, quoted } from './answer.ts'
import type { Facts } from './facts.ts'

/** Hosted clients connect to port 443 over TLS alone. */
export const URL_CHECKS = {
  'not-https': ({ pasted }) => urlAnswer(pasted, ({ protocol }) => protocol === 'https:'),
  'port-not-443': ({ pasted }) => urlAnswer(pasted, ({ port }) => port === ''),
} satisfies Readonly<Record<string, Check>>

function urlAnswer(pasted: string | undefined, isRight: (url: URL) => boolean): Answer | undefined {
  if (pasted === undefined) return undefined
  const url = new URL(pasted)
  return answer(isRight(url) || isLoopbackName(url.hostname), `The URL is ${quoted(pasted)}`)
}

export const CHALLENGE_CHECKS = {
  'challenge-missing': on('challenge', ({ challenge }) =>
    answer(challenge === 'Bearer', `The 401 had the challenge ${quoted(challenge)}`),
  ),
  'challenge-without-metadata': on('challenge', ({ metadataUrl }) =>
    answer(isUrl(metadataUrl), `WWW-Authenticate named resource_metadata ${quoted(metadataUrl)}`),
  ),
} satisfies Readonly<Record<string, Check>>

export const RESOURCE_CHECKS = {
  'resource-mismatch': (facts) => compared(facts, 'other'),
  'resource-not-exact': (facts) => compared(facts, 'parent'),
  'resource-trailing-slash': (facts) => compared(facts, 'slash'),
  'url-trailing-slash': (facts) => compared(facts, 'url-slash'),
  'authorization-servers-missing': on('resource', ({ server }) =>
    answer(isUrl(server), `The metadata named the authorization server ${quoted(server)}`),
  ),
} satisfies Readonly<Record<string, Check>>

type Difference = 'none' | 'slash' | 'url-slash' | 'parent' | 'other'

/** How the resource differs from the pasted URL (RFC 9728 §3.3). */
function differenceOf(resource: URL, pasted: URL): Difference {
  if (resource.href === pasted.href) return 'none'
  const withSlash = ({ pathname }: URL) => (pathname.endsWith('/') ? pathname : `${pathname}/`)
  const isSameOrigin =
    resource.origin === pasted.origin && resource.search === pasted.search && resource.hash === ''
  if (!isSameOrigin) return 'other'
  if (withSlash(resource) === withSlash(pasted)) {
    return pasted.pathname.endsWith('/') ? 'url-slash' : 'slash'
  }
  return withSlash(pasted).startsWith(withSlash(resource)) ? 'parent' : 'other'
}

function compared(
  { resource: metadata, pasted, isPattern }: Facts,
  wrong: Difference,
): Answer | undefined {
  const resource = metadata?.resource
  if (!isUrl(resource) || pasted === undefined || isPattern) return undefined
  const text = `The resource is ${quoted(resource)}, and the pasted URL is ${quoted(pasted)}`
  return answer(differenceOf(new URL(resource), new URL(pasted)) !== wrong, text)
}
