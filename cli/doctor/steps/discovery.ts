/** Step: a client that gets a 401 finds the resource and its authorization server. */
import {
  OAuthMetadataSchema,
  OAuthProtectedResourceMetadataSchema,
  OpenIdProviderDiscoveryMetadataSchema,
} from '@modelcontextprotocol/sdk/shared/auth.js'
import { type Detected, describeReply, detected, type Step } from '../detected.ts'
import { isPrivateHost } from '../http/addresses.ts'
import { isBotChallenge } from '../http/bot-challenge.ts'
import type { HttpReply } from '../http/http-client.ts'
import { endpointIn, takesDocuments, takesPublicClients } from '../oauth/identity.ts'
import {
  type DiscoveryObservation,
  type MetadataDocument,
  offersAuthorization,
} from '../probes/authorization.ts'
import { firstIssue } from '../schema.ts'
import { parseJson, printable, quoted } from '../text.ts'

export const discovery: Step = {
  title: 'finds the authorization server',
  check: ({ pasted, discovery: observed, unauthenticatedGet: get, signIn }) => {
    if (observed === undefined) return []
    if (!offersAuthorization(observed)) return [nothingOffered(observed)]
    const challenge = [...challengeFaults(observed), ...getFaults(get)]
    const internal = internalHosts(observed, pasted)
    if (internal.length > 0) return [...challenge, ...internal]
    const resource = resourceFaults(observed, pasted)
    const server = resource.some(({ code }) => HIDES_SERVER.includes(code))
      ? []
      : serverFaults(observed)
    const token = signIn?.own?.token?.value
    const refresh =
      token !== undefined && token.refresh_token === undefined ? [] : refreshFaults(observed)
    return [...challenge, ...resource, ...server, ...refresh, ...browserFaults(observed)]
  },
}

/** Without the resource, a missing server is a consequence. */
const HIDES_SERVER: readonly string[] = [
  'resource-metadata-missing',
  'resource-metadata-invalid',
  'authorization-servers-missing',
  'bot-challenge',
]

function nothingOffered(observed: DiscoveryObservation): Detected {
  const documents = [...observed.resourceDocuments, ...observed.serverDocuments]
  const places = documents.map(({ url }) => url.href).join(', ')
  const message = `The 401 has ${challengeText(observed)}, and no metadata is at ${places}`
  return detected('authorization-not-offered', message)
}

function challengeText({ challenge }: DiscoveryObservation): string {
  const header = challenge.headers['www-authenticate']
  return header === undefined ? 'no WWW-Authenticate header' : `WWW-Authenticate: ${quoted(header)}`
}

function challengeFaults(observed: DiscoveryObservation): Detected[] {
  const { challenge, parameters } = observed
  const faults: Detected[] = []
  if (parameters === undefined) {
    faults.push(detected('challenge-missing', `The 401 has ${challengeText(observed)}`))
  } else if (!URL.canParse(parameters.resource_metadata ?? '')) {
    faults.push(
      detected(
        'challenge-without-metadata',
        `The 401 has ${challengeText(observed)}, which names no URL as resource_metadata`,
      ),
    )
  }
  if (challenge.text.trim() !== '' && parseJson(challenge.text) === undefined) {
    faults.push(detected('error-not-json', `The 401 has the body ${quoted(challenge.text)}`))
  }
  return faults
}

/** A limit or an error of the server says nothing about GET. */
function getFaults(reply: HttpReply | undefined): Detected[] {
  if (reply?.ok !== true || reply.status >= 500) return []
  if (reply.status === 401 || reply.status === 429 || isBotChallenge(reply)) return []
  const text = `GET without a token is answered with status ${reply.status}`
  return [detected('get-without-challenge', text)]
}

/** A server that issues no refresh token has a fault of its own. */
function refreshFaults({ server }: DiscoveryObservation): Detected[] {
  const grants = server?.value?.grant_types_supported
  const isMissing =
    Array.isArray(grants) &&
    grants.includes('authorization_code') &&
    !grants.includes('refresh_token')
  if (!isMissing) return []
  return [detected('refresh-not-advertised', `grant_types_supported is ${quoted(grants)}`)]
}

/** Hosts that only the server itself can reach, in the metadata of a server that others reach. */
function internalHosts(observed: DiscoveryObservation, pasted: URL): Detected[] {
  if (isPrivateHost(pasted)) return []
  const { parameters, resource, server } = observed
  const servers = resource?.value?.authorization_servers
  const named: readonly (readonly [string, unknown])[] = [
    ['resource_metadata', parameters?.resource_metadata],
    ['resource', resource?.value?.resource],
    ['authorization_servers', Array.isArray(servers) ? servers[0] : undefined],
    ...['issuer', 'authorization_endpoint', 'token_endpoint', 'registration_endpoint'].map(
      (member) => [member, server?.value?.[member]] as const,
    ),
  ]
  const internal = named.filter(
    ([, value]) =>
      typeof value === 'string' && URL.canParse(value) && isPrivateHost(new URL(value)),
  )
  if (internal.length === 0) return []
  const list = internal.map(([member, value]) => `${member} ${quoted(value)}`).join(', ')
  return [detected('metadata-names-internal-host', `The metadata names ${list}`)]
}

function resourceFaults(observed: DiscoveryObservation, pasted: URL): Detected[] {
  const { parameters, resource, resourceDocuments, server } = observed
  const challenged = parameters?.resource_metadata
  const [first] = resourceDocuments
  if (resource === undefined) {
    const blocked = challengePage(resourceDocuments)
    if (blocked !== undefined) return [blocked]
    const answered = resourceDocuments.find(({ reply }) => reply.ok && reply.status === 200)
    if (answered !== undefined) return [detected('resource-metadata-invalid', describe(answered))]
    const code = server === undefined ? 'resource-metadata-missing' : 'resource-metadata-skipped'
    return [detected(code, resourceDocuments.map(describe).join('; '))]
  }
  const faults: Detected[] = []
  if (first !== undefined && first.value === undefined && first.url.href === challenged) {
    // Clients that get a URL in the challenge ask for no other.
    faults.push(
      detected(
        'resource-metadata-missing',
        `resource_metadata of the challenge: ${describe(first)}`,
      ),
    )
  }
  const { authorization_servers: servers, ...members } = resource.value ?? {}
  const { resource: identifier } = members
  if (typeof identifier !== 'string' || !URL.canParse(identifier)) {
    const message = `${resource.url.href} has the resource ${quoted(identifier)}, which is not a URL`
    return [...faults, detected('resource-metadata-invalid', message)]
  }
  const invalid = firstIssue(OAuthProtectedResourceMetadataSchema, members)
  if (invalid !== undefined) {
    return [...faults, detected('resource-metadata-invalid', `${resource.url.href}: ${invalid}`)]
  }
  faults.push(...identifierFaults(identifier, pasted))
  if (observed.issuerText === undefined) {
    const message = `${resource.url.href} has authorization_servers ${quoted(servers)}`
    faults.push(detected('authorization-servers-missing', message))
  }
  return faults
}

function identifierFaults(identifier: string, pasted: URL): Detected[] {
  const configured = new URL(identifier)
  const text = `The resource is ${quoted(identifier)}, and the pasted URL is ${quoted(pasted.href)}`
  if (configured.href === pasted.href) return []
  const withSlash = (path: string) => (path.endsWith('/') ? path : `${path}/`)
  const isSameOrigin =
    configured.origin === pasted.origin &&
    configured.search === pasted.search &&
    configured.hash === ''
  if (isSameOrigin && withSlash(configured.pathname) === withSlash(pasted.pathname)) {
    return [detected('resource-trailing-slash', text)]
  }
  const isParent =
    isSameOrigin && withSlash(pasted.pathname).startsWith(withSlash(configured.pathname))
  return [detected(isParent ? 'resource-not-exact' : 'resource-mismatch', text)]
}

function serverFaults(observed: DiscoveryObservation): Detected[] {
  const { server, serverDocuments, issuerText } = observed
  if (server?.value === undefined) {
    const blocked = challengePage(serverDocuments)
    if (blocked !== undefined) return [blocked]
    const answered = serverDocuments.find(({ reply }) => reply.ok && reply.status === 200)
    return answered === undefined
      ? [detected('server-metadata-missing', serverDocuments.map(describe).join('; '))]
      : [detected('server-metadata-invalid', describe(answered))]
  }
  const metadata = server.value
  const faults: Detected[] = []
  const add = (code: Detected['code'], message: string) => faults.push(detected(code, message))
  const isOidc = server.url.pathname.includes('openid-configuration')
  const schema = isOidc ? OpenIdProviderDiscoveryMetadataSchema : OAuthMetadataSchema
  // `code_challenge_methods_supported` has a fault of its own.
  const { code_challenge_methods_supported: methods, ...rest } = metadata
  const invalid = firstIssue(schema, rest)
  if (invalid !== undefined) add('server-metadata-invalid', `${server.url.href}: ${invalid}`)

  const { issuer } = metadata
  if (issuerText !== undefined && typeof issuer === 'string' && issuer !== issuerText) {
    const isSlash = `${issuer}/` === issuerText || issuer === `${issuerText}/`
    add(
      isSlash ? 'issuer-trailing-slash' : 'issuer-mismatch',
      `authorization_servers names ${quoted(issuerText)}, and its metadata has the issuer ${quoted(issuer)}`,
    )
  }
  if (!Array.isArray(methods) || !methods.includes('S256')) {
    add(
      'pkce-not-advertised',
      `${server.url.href} has code_challenge_methods_supported ${quoted(methods)}`,
    )
  }
  const { response_types_supported: responses, grant_types_supported: grants } = metadata
  if (
    Array.isArray(responses) &&
    !responses.some((type) => /(?:^| )code(?: |$)/.test(String(type)))
  ) {
    add('code-flow-not-advertised', `response_types_supported is ${quoted(responses)}`)
  } else if (Array.isArray(grants) && !grants.includes('authorization_code')) {
    add('code-flow-not-advertised', `grant_types_supported is ${quoted(grants)}`)
  }
  faults.push(...endpointFaults(metadata, observed))
  if (invalid?.startsWith('registration_endpoint') !== true) {
    faults.push(...registrationFaults(metadata))
  }
  return faults
}

function endpointFaults(
  metadata: Readonly<Record<string, unknown>>,
  { unreachable }: DiscoveryObservation,
): Detected[] {
  const faults: Detected[] = []
  const members = ['authorization_endpoint', 'token_endpoint', 'registration_endpoint']
  const plain = members.filter((member) => {
    const url = endpointIn(metadata, member)
    return url?.protocol === 'http:' && !isPrivateHost(url)
  })
  for (const member of plain) {
    faults.push(detected('endpoint-not-https', `${member} is ${quoted(metadata[member])}`))
  }
  if (unreachable.length > 0) {
    const list = unreachable.map(
      ({ member, url, detail }) => `${member} ${quoted(url.href)} (${printable(detail)})`,
    )
    return [
      ...faults,
      detected('metadata-names-unreachable-host', `No connection to ${list.join(', ')}`),
    ]
  }
  const authorization = endpointIn(metadata, 'authorization_endpoint')
  const issuer = endpointIn(metadata, 'issuer')
  const isElsewhere = authorization && issuer && authorization.origin !== issuer.origin
  if (isElsewhere && metadata.authorization_response_iss_parameter_supported !== true) {
    const message = `authorization_endpoint is ${quoted(authorization.href)}, and the issuer is ${quoted(metadata.issuer)}`
    faults.push(detected('authorization-endpoint-elsewhere', message))
  }
  return faults
}

function registrationFaults(metadata: Readonly<Record<string, unknown>>): Detected[] {
  const canRegister = endpointIn(metadata, 'registration_endpoint') !== undefined
  const text = `registration_endpoint is ${quoted(metadata.registration_endpoint)}, client_id_metadata_document_supported is ${quoted(metadata.client_id_metadata_document_supported)}`
  if (!takesDocuments(metadata)) {
    return canRegister ? [] : [detected('no-client-registration', text)]
  }
  const faults: Detected[] = []
  if (!canRegister) faults.push(detected('no-dynamic-registration', text))
  if (!takesPublicClients(metadata)) {
    const methods = metadata.token_endpoint_auth_methods_supported
    faults.push(
      detected('cimd-without-none', `token_endpoint_auth_methods_supported is ${quoted(methods)}`),
    )
  }
  return faults
}

function browserFaults({ inBrowser }: DiscoveryObservation): Detected[] {
  const hidden = inBrowser.filter(
    (reply) => reply.ok && reply.headers['access-control-allow-origin'] === undefined,
  )
  if (hidden.length === 0) return []
  const urls = hidden.map(({ url }) => url.href).join(', ')
  return [detected('metadata-without-cors', `No Access-Control-Allow-Origin at ${urls}`)]
}

function challengePage(documents: readonly MetadataDocument[]): Detected | undefined {
  const blocked = documents.find(({ reply }) => reply.ok && isBotChallenge(reply))
  return blocked && detected('bot-challenge', describe(blocked))
}

const describe = ({ url, reply }: MetadataDocument) => `${url.href}: ${describeReply(reply)}`
