/** Checks of the challenge and the metadata, as the server answered them. Each is undefined without evidence. */
import type { Details, TimelineStep } from '../../../ports/timeline.ts'
import { hostKind } from '../../../protocol/host-kind.ts'
import { isLoopbackName } from '../../../protocol/loopback-name.ts'
import { type Answer, answer, failed, passed, quoted } from './answer.ts'
import type { Evidence } from './evidence.ts'
import type { DiscoveryCode } from './fault-code.ts'

type Check = (evidence: Evidence) => Answer | undefined

/** A check of the details of one answer. */
const on =
  (
    name: 'challenge' | 'resource' | 'server',
    check: (details: Details, evidence: Evidence) => Answer | undefined,
  ): Check =>
  (evidence) => {
    const step = evidence[name]
    return step && check(step.details, evidence)
  }

export const DISCOVERY_CHECKS: Readonly<Record<DiscoveryCode, Check>> = {
  // The timeline does not see which metadata was never requested; other checks name what is missing.
  'authorization-not-offered': on('challenge', ({ metadataUrl }) =>
    isUrl(metadataUrl) ? passed(`The 401 named ${quoted(metadataUrl)}`) : undefined,
  ),
  'challenge-missing': on('challenge', ({ challenge }) =>
    answer(challenge === 'Bearer', `The 401 had the challenge ${quoted(challenge)}`),
  ),
  'challenge-without-metadata': on('challenge', ({ metadataUrl }) =>
    answer(isUrl(metadataUrl), `WWW-Authenticate named resource_metadata ${quoted(metadataUrl)}`),
  ),
  'resource-metadata-missing': (evidence) =>
    evidence.server === undefined ? metadataServed(evidence, 'resource-metadata') : undefined,
  'resource-metadata-skipped': (evidence) =>
    evidence.server === undefined ? undefined : metadataServed(evidence, 'resource-metadata'),
  'resource-metadata-invalid': on('resource', ({ isDocument, resource, type }) =>
    answer(
      isDocument === true && isUrl(resource),
      `The metadata was served as ${quoted(type)} with the resource ${quoted(resource)}`,
    ),
  ),
  'resource-mismatch': on('resource', (details, evidence) => compared(details, evidence, 'other')),
  'resource-not-exact': on('resource', (details, evidence) =>
    compared(details, evidence, 'parent'),
  ),
  'resource-trailing-slash': on('resource', (details, evidence) =>
    compared(details, evidence, 'slash'),
  ),
  'authorization-servers-missing': on('resource', ({ server }) =>
    answer(isUrl(server), `The metadata named the authorization server ${quoted(server)}`),
  ),
  'metadata-names-internal-host': (evidence) => {
    const named = namedUrls(evidence)
    if (evidence.pasted === undefined || named.length === 0) return undefined
    if (isInternal(evidence.pasted)) return passed(`The pasted URL is ${quoted(evidence.pasted)}`)
    const internal = named.filter(isInternal)
    return internal.length === 0
      ? passed(`The metadata named ${hostsOf(named)}`)
      : failed(`The metadata named ${internal.map(quoted).join(', ')}`)
  },
  'metadata-names-unreachable-host': (evidence) => {
    const named = namedUrls(evidence)
    const { pasted } = evidence
    if (pasted === undefined || named.length === 0) return undefined
    const other = named.filter((url) => new URL(url).host !== new URL(pasted).host)
    return other.length === 0
      ? passed(`All URLs of the metadata are at the host of the endpoint`)
      : failed(
          `The metadata named ${hostsOf(other)}, and the request was sent to ${hostsOf([pasted])}`,
        )
  },
  'metadata-without-cors': on('resource', ({ cors }) =>
    answer(cors === true, `The metadata had ${cors ? 'an' : 'no'} Access-Control-Allow-Origin`),
  ),
  'server-metadata-missing': (evidence) => metadataServed(evidence, 'server-metadata'),
  'server-metadata-invalid': on('server', ({ isDocument, issuer, tokenEndpoint, ...details }) =>
    answer(
      isDocument === true &&
        [issuer, tokenEndpoint, details.authorizationEndpoint].every((url) => isUrl(url)),
      `The metadata had the issuer ${quoted(issuer)} and the token_endpoint ${quoted(tokenEndpoint)}`,
    ),
  ),
  'issuer-mismatch': on('server', ({ issuer }, evidence) =>
    issuerCompared(issuer, evidence, false),
  ),
  'issuer-trailing-slash': on('server', ({ issuer }, evidence) =>
    issuerCompared(issuer, evidence, true),
  ),
  'pkce-not-advertised': on('server', ({ pkce }) =>
    answer(
      pkce === true,
      `code_challenge_methods_supported ${pkce ? 'lists' : 'does not list'} S256`,
    ),
  ),
  'code-flow-not-advertised': on('server', ({ codeFlow }) =>
    answer(
      codeFlow === true,
      `The authorization code flow was ${codeFlow ? 'listed' : 'not listed'}`,
    ),
  ),
  'endpoint-not-https': on('server', (details) => {
    const plain = endpointsOf(details).filter(
      (url) => url.startsWith('http:') && !isLoopbackName(new URL(url).hostname),
    )
    return plain.length === 0
      ? passed('No endpoint is plain http on a public host')
      : failed(`The metadata named ${plain.map(quoted).join(', ')}`)
  }),
  'authorization-endpoint-elsewhere': on('server', (details) => {
    const { issuer, authorizationEndpoint: endpoint, issInResponse } = details
    if (!isUrl(issuer) || !isUrl(endpoint)) return undefined
    const isElsewhere = new URL(issuer).origin !== new URL(endpoint).origin
    const text = `The authorization_endpoint was ${quoted(endpoint)}, the issuer ${quoted(issuer)}`
    return answer(!isElsewhere || issInResponse === true, text)
  }),
  'no-client-registration': on('server', ({ documents, registrationEndpoint: endpoint }) =>
    answer(
      documents === true || isUrl(endpoint),
      `Client id metadata documents were ${documents ? '' : 'not '}offered, the registration_endpoint was ${quoted(endpoint)}`,
    ),
  ),
  'no-dynamic-registration': on('server', ({ registrationEndpoint: endpoint }) =>
    answer(isUrl(endpoint), `The registration_endpoint was ${quoted(endpoint)}`),
  ),
  'cimd-without-none': on('server', ({ documents, publicClients }) =>
    documents === true
      ? answer(
          publicClients === true,
          `token_endpoint_auth_methods_supported ${publicClients ? 'lists' : 'does not list'} "none"`,
        )
      : undefined,
  ),
}

export function isUrl(value: unknown): value is string {
  return typeof value === 'string' && URL.canParse(value)
}

/** Undefined when the document was never asked for. */
function metadataServed(
  { steps }: Evidence,
  kind: 'resource-metadata' | 'server-metadata',
): Answer | undefined {
  const asked = steps.filter((step) => step.kind === kind)
  if (asked.length === 0) return undefined
  const served = asked.find(({ status }) => status === 200)
  const text = (step: TimelineStep) =>
    `${step.http} ${step.details.url} was answered with ${step.status}`
  return served === undefined ? failed(asked.map(text).join('; ')) : passed(text(served))
}

type Difference = 'none' | 'slash' | 'parent' | 'other'

/** How the resource differs from the pasted URL, in the same classes as those of the doctor. */
function differenceOf(resource: string, pasted: string): Difference {
  const own = new URL(resource)
  const wanted = new URL(pasted)
  if (own.href === wanted.href) return 'none'
  const withSlash = ({ pathname }: URL) => (pathname.endsWith('/') ? pathname : `${pathname}/`)
  if (own.origin !== wanted.origin) return 'other'
  if (withSlash(own) === withSlash(wanted)) return 'slash'
  return withSlash(wanted).startsWith(withSlash(own)) ? 'parent' : 'other'
}

function compared(
  { resource }: Details,
  { pasted }: Evidence,
  wrong: Exclude<Difference, 'none'>,
): Answer | undefined {
  if (!isUrl(resource) || pasted === undefined || /[{}]|%7B/i.test(pasted)) return undefined
  const text = `The resource is ${quoted(resource)}, and the pasted URL is ${quoted(pasted)}`
  return answer(differenceOf(resource, pasted) !== wrong, text)
}

function issuerCompared(
  issuer: unknown,
  { resource }: Evidence,
  bySlash: boolean,
): Answer | undefined {
  const named = resource?.details.server
  if (!isUrl(issuer) || !isUrl(named)) return undefined
  const text = `The issuer is ${quoted(issuer)}, and authorization_servers has ${quoted(named)}`
  const bare = (url: string) => url.replace(/\/$/, '')
  const differsBySlash = issuer !== named && bare(issuer) === bare(named)
  return answer(bySlash ? !differsBySlash : issuer === named || differsBySlash, text)
}

function endpointsOf(details: Details): readonly string[] {
  const { authorizationEndpoint, tokenEndpoint, registrationEndpoint } = details
  return [authorizationEndpoint, tokenEndpoint, registrationEndpoint].filter(isUrl)
}

/** Every URL that clients read in the challenge and the metadata. */
function namedUrls({ challenge, resource, server }: Evidence): readonly string[] {
  const named = [
    challenge?.details.metadataUrl,
    resource?.details.resource,
    resource?.details.server,
    server?.details.issuer,
    ...(server ? endpointsOf(server.details) : []),
  ]
  return named.filter(isUrl)
}

const hostsOf = (urls: readonly string[]) =>
  [...new Set(urls.map((url) => new URL(url).origin))].map(quoted).join(', ')

/** Names and addresses that only the network of the server knows. */
const isInternal = (url: string) => hostKind(new URL(url)) !== 'public'
