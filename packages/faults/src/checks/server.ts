/** Checks of the authorization server metadata, and of the hosts that all metadata name. */

import { isLoopbackName } from '../../../../src/protocol/loopback-name.ts'
import { hostKind } from '../../../client/src/host-kind.ts'
import { type Answer, answer, type Check, failed, isUrl, on, passed, quoted } from './answer.ts'
import type { Facts, ServerFacts } from './facts.ts'

/** Names and addresses that only the network of the server knows. */
const isInternal = (url: string) => hostKind(new URL(url)) !== 'public'

const isLoopback = (url: string) => isLoopbackName(new URL(url).hostname)

/** Clients open no other scheme. */
const isWeb = (value: unknown): value is string =>
  isUrl(value) && /^https?:$/.test(new URL(value).protocol)

export const SERVER_CHECKS = {
  'issuer-mismatch': (facts) => issuerCompared(facts, false),
  'issuer-trailing-slash': (facts) => issuerCompared(facts, true),
  'pkce-not-advertised': on('server', ({ pkce }) =>
    answer(pkce === true, listing('code_challenge_methods_supported', 'S256', pkce)),
  ),
  'code-flow-not-advertised': on('server', ({ codeFlow }) =>
    answer(
      codeFlow === true,
      `The authorization code flow was ${codeFlow ? 'listed' : 'not listed'}`,
    ),
  ),
  'endpoint-not-https': on('server', (server, { pasted }) => {
    // A server in a private network has its endpoints there.
    const isLocal = pasted !== undefined && isInternal(pasted) ? isInternal : isLoopback
    const plain = endpointsOf(server).filter((url) => url.startsWith('http:') && !isLocal(url))
    return plain.length === 0
      ? passed('No endpoint is plain http on a public host')
      : failed(`The metadata named ${plain.map(quoted).join(', ')}`)
  }),
  'authorization-endpoint-elsewhere': on('server', ({ issuer, issInResponse, ...metadata }) => {
    const endpoint = metadata.authorizationEndpoint
    if (!isWeb(issuer) || !isWeb(endpoint)) return undefined
    const isElsewhere = new URL(issuer).origin !== new URL(endpoint).origin
    const text = `The authorization_endpoint was ${quoted(endpoint)}, the issuer ${quoted(issuer)}`
    return answer(!isElsewhere || issInResponse === true, text)
  }),
  'metadata-names-internal-host': (facts) => {
    const named = namedUrls(facts)
    const { pasted } = facts
    if (pasted === undefined || named.length === 0) return undefined
    if (isInternal(pasted)) return passed(`The pasted URL is ${quoted(pasted)}`)
    const internal = named.filter(isInternal)
    return internal.length === 0
      ? passed(`The metadata named ${originsOf(named)}`)
      : failed(`The metadata named ${internal.map(quoted).join(', ')}`)
  },
  /** A suspicion: an authorization server may be at another host. The doctor connects to it instead. */
  'metadata-names-unreachable-host': (facts) => {
    const named = namedUrls(facts)
    const { pasted } = facts
    if (pasted === undefined || named.length === 0) return undefined
    const other = named.filter((url) => new URL(url).host !== new URL(pasted).host)
    return other.length === 0
      ? passed('All URLs of the metadata are at the host of the endpoint')
      : failed(
          `The metadata named ${originsOf(other)}, and the request was sent to ${originsOf([pasted])}`,
        )
  },
  'no-client-registration': on('server', ({ documents, registrationEndpoint: endpoint }) =>
    answer(
      documents === true || isWeb(endpoint),
      `Client id metadata documents were ${documents ? '' : 'not '}offered, the registration_endpoint was ${quoted(endpoint)}`,
    ),
  ),
  'no-dynamic-registration': on('server', ({ registrationEndpoint: endpoint }) =>
    answer(isWeb(endpoint), `The registration_endpoint was ${quoted(endpoint)}`),
  ),
  'cimd-without-none': on('server', ({ documents, publicClients }) =>
    documents === true
      ? answer(
          publicClients === true,
          listing('token_endpoint_auth_methods_supported', '"none"', publicClients),
        )
      : undefined,
  ),
} satisfies Readonly<Record<string, Check>>

const listing = (member: string, value: string, isListed: unknown) =>
  `${member} ${isListed ? 'lists' : 'does not list'} ${value}`

function issuerCompared({ resource, server }: Facts, bySlash: boolean): Answer | undefined {
  const named = resource?.server
  const issuer = server?.issuer
  if (typeof issuer !== 'string' || !isUrl(named)) return undefined
  const text = `The issuer is ${quoted(issuer)}, and authorization_servers has ${quoted(named)}`
  const differsBySlash = `${issuer}/` === named || issuer === `${named}/`
  return answer(bySlash ? !differsBySlash : issuer === named || differsBySlash, text)
}

const endpointsOf = (server: ServerFacts | undefined): readonly string[] =>
  [server?.authorizationEndpoint, server?.tokenEndpoint, server?.registrationEndpoint].filter(isUrl)

/** Every URL that clients read in the challenge and the metadata. */
function namedUrls({ challenge, resource, server }: Facts): readonly string[] {
  const named = [challenge?.metadataUrl, resource?.resource, resource?.server, server?.issuer]
  return [...named.filter(isUrl), ...endpointsOf(server)]
}

const originsOf = (urls: readonly string[]) =>
  [...new Set(urls.map((url) => new URL(url).origin))].map(quoted).join(', ')
