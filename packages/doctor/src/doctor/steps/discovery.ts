/** Step: a client that gets a 401 finds the resource and its authorization server. */
import {
  OAuthMetadataSchema,
  OAuthProtectedResourceMetadataSchema,
  OpenIdProviderDiscoveryMetadataSchema,
} from '@modelcontextprotocol/sdk/shared/auth.js'
import { resourceLocations } from '../../../../../src/protocol/metadata-locations.ts'
import { isUrl } from '../../../../faults/src/checks/answer.ts'
import { parseJson } from '../../../../text/src/json/json-text.ts'
import { quoted } from '../../../../text/src/quoted.ts'
import { printable } from '../../../../text/src/terminal-text.ts'
import {
  type Detected,
  describe,
  detected,
  failedChecks,
  type SeenFacts,
  type Step,
} from '../detected.ts'
import { discoveryFacts } from '../facts.ts'
import { isBotChallenge } from '../http/bot-challenge.ts'
import type { HttpReply } from '../http/http-client.ts'
import {
  type DiscoveryObservation,
  type MetadataDocument,
  offersAuthorization,
} from '../probes/authorization.ts'
import { firstIssue } from '../schema.ts'

export const discovery: Step = {
  title: 'finds the authorization server',
  check: ({ pasted, reach, discovery: observed, unauthenticatedGet: get, signIn }) => {
    if (observed === undefined) return []
    if (!offersAuthorization(observed)) return [nothingOffered(observed, reach.endpoint.headers)]
    const facts = discoveryFacts(observed, pasted)
    const challenge = [...challengeFaults(observed, facts), ...getFaults(get)]
    const internal = failedChecks(facts, 'metadata-names-internal-host')
    if (internal.length > 0) return [...challenge, ...internal]
    const resource = resourceFaults(observed, facts)
    const server = resource.some(({ code }) => HIDES_SERVER.includes(code))
      ? []
      : serverFaults(observed, facts)
    const token = signIn?.own?.token?.value
    const refresh =
      token !== undefined && token.refresh_token === undefined ? [] : refreshFaults(observed)
    const places = placeFaults(observed)
    return [...challenge, ...resource, ...server, ...places, ...refresh, ...browserFaults(observed)]
  },
}

/** Without the resource, a missing server is a consequence. */
const HIDES_SERVER: readonly string[] = [
  'resource-metadata-missing',
  'resource-metadata-invalid',
  'authorization-servers-missing',
  'bot-challenge',
]

/** @param given the headers of the command line */
function nothingOffered(observed: DiscoveryObservation, given: object): Detected {
  const sent = Object.keys(given).map((name) => printable(name))
  if (sent.length > 0) {
    const text = `A request with the header ${sent.join(', ')} is answered with status 401`
    return detected('token-refused', text)
  }
  const header = observed.challenge.headers['www-authenticate']
  const challenge =
    header === undefined ? 'no WWW-Authenticate header' : `WWW-Authenticate: ${quoted(header)}`
  const documents = [...observed.resourceDocuments, ...observed.serverDocuments]
  const places = documents.map(({ url }) => url.href).join(', ')
  const message = `The 401 has ${challenge}, and no metadata is at ${places}`
  return detected('authorization-not-offered', message)
}

function challengeFaults({ challenge: { text } }: DiscoveryObservation, facts: SeenFacts) {
  const faults = failedChecks(facts, 'challenge-missing', 'challenge-without-metadata').slice(0, 1)
  if (text.trim() !== '' && parseJson(text) === undefined) {
    faults.push(detected('error-not-json', `The 401 has the body ${quoted(text)}`))
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

function resourceFaults(observed: DiscoveryObservation, facts: SeenFacts): Detected[] {
  const { parameters, resource, resourceDocuments: documents, server } = observed
  if (resource === undefined) {
    const code = server === undefined ? 'resource-metadata-missing' : 'resource-metadata-skipped'
    return unread(documents, code, 'resource-metadata-invalid')
  }
  const faults: Detected[] = []
  const [first] = documents
  const isChallenged = first?.url.href === parameters?.resource_metadata
  if (first !== undefined && first.value === undefined && isChallenged) {
    // Clients that get a URL in the challenge ask for no other.
    const message = `resource_metadata of the challenge: ${documentText(first)}`
    faults.push(detected('resource-metadata-missing', message))
  }
  const { authorization_servers: _, ...members } = resource.value ?? {}
  const issue = firstIssue(OAuthProtectedResourceMetadataSchema, members)
  const invalid = isUrl(members.resource)
    ? issue && `: ${issue}`
    : ` has the resource ${quoted(members.resource)}, which is not a URL`
  if (invalid !== undefined) {
    return [...faults, detected('resource-metadata-invalid', `${resource.url.href}${invalid}`)]
  }
  return [
    ...faults,
    ...failedChecks(
      facts,
      'resource-mismatch',
      'resource-not-exact',
      'resource-trailing-slash',
      'url-trailing-slash',
      'authorization-servers-missing',
    ),
  ]
}

function serverFaults(observed: DiscoveryObservation, facts: SeenFacts): Detected[] {
  const { server, serverDocuments, unreachable } = observed
  if (server?.value === undefined) {
    return unread(serverDocuments, 'server-metadata-missing', 'server-metadata-invalid')
  }
  const isOidc = server.url.pathname.includes('openid-configuration')
  const schema = isOidc ? OpenIdProviderDiscoveryMetadataSchema : OAuthMetadataSchema
  // `code_challenge_methods_supported` has a fault of its own.
  const { code_challenge_methods_supported: _, ...rest } = server.value
  const invalid = firstIssue(schema, rest)
  const isUnregistrable = invalid?.startsWith('registration_endpoint') === true
  const list = unreachable.map(
    ({ member, url, detail }) => `${member} ${quoted(url.href)} (${printable(detail)})`,
  )
  return [
    ...(invalid === undefined
      ? []
      : [detected('server-metadata-invalid', `${server.url.href}: ${invalid}`)]),
    ...failedChecks(
      facts,
      'issuer-trailing-slash',
      'issuer-mismatch',
      'pkce-not-advertised',
      'code-flow-not-advertised',
      'endpoint-not-https',
    ),
    ...(list.length > 0
      ? [detected('metadata-names-unreachable-host', `No connection to ${list.join(', ')}`)]
      : failedChecks(facts, 'authorization-endpoint-elsewhere')),
    ...(isUnregistrable
      ? []
      : failedChecks(facts, 'no-client-registration', 'no-dynamic-registration').slice(0, 1)),
    ...(isUnregistrable ? [] : failedChecks(facts, 'cimd-without-none')),
  ]
}

/** What programs find at the places of the documents, and what keeps some of them from the document. */
function placeFaults(observed: DiscoveryObservation): Detected[] {
  const { challenge, parameters, resourceDocuments, resource, serverDocuments, server } = observed
  const faults: Detected[] = []
  const header = challenge.headers['www-authenticate'] ?? ''
  const isLater = header !== '' && !/^bearer /i.test(header)
  const places = resourceLocations(challenge.url, undefined).map(({ href }) => href)
  const isElsewhere = !resourceDocuments.some(
    ({ url, value }) => value !== undefined && places.includes(url.href),
  )
  if (resource?.url.href === parameters?.resource_metadata && isLater && isElsewhere) {
    faults.push(detected('challenge-not-first', `WWW-Authenticate is ${quoted(header)}`))
  }
  for (const document of [resource, server]) {
    const { reply, url } = document ?? {}
    if (url === undefined || reply === undefined || !leavesHost(url, reply.url)) continue
    const text = `${printable(url.href)} is redirected to ${printable(reply.url.href)}`
    faults.push(detected('metadata-redirected', text))
  }
  const before =
    server === undefined ? [] : serverDocuments.slice(0, serverDocuments.indexOf(server))
  const shadow = before.find(isShadow)
  if (shadow !== undefined) {
    faults.push(detected('server-metadata-shadowed', documentText(shadow)))
  }
  return faults
}

/** The step from http to https of a host does not leave it. */
function leavesHost(from: URL, to: URL): boolean {
  const isUpgrade = from.protocol === 'http:' && to.protocol === 'https:' && from.port === to.port
  return from.origin !== to.origin && !(isUpgrade && from.hostname === to.hostname)
}

/** Whether the SDK takes an answer for the document, or for a failure of the server. */
function isShadow({ reply }: MetadataDocument): boolean {
  return reply.ok && (reply.status === 200 || (reply.status >= 500 && reply.status !== 502))
}

function browserFaults({ inBrowser }: DiscoveryObservation): Detected[] {
  const hidden = inBrowser.filter(
    (reply) => reply.ok && reply.headers['access-control-allow-origin'] === undefined,
  )
  if (hidden.length === 0) return []
  const urls = hidden.map(({ url }) => url.href).join(', ')
  return [detected('metadata-without-cors', `No Access-Control-Allow-Origin at ${urls}`)]
}

/** Why none of the documents was read. */
function unread(
  documents: readonly MetadataDocument[],
  missing: Detected['code'],
  invalid: Detected['code'],
): Detected[] {
  const blocked = documents.find(({ reply }) => reply.ok && isBotChallenge(reply))
  if (blocked !== undefined) return [detected('bot-challenge', documentText(blocked))]
  const served = documents.find(({ reply }) => reply.ok && reply.status === 200)
  if (served !== undefined) return [detected(invalid, documentText(served))]
  return [detected(missing, documents.map(documentText).join('; '))]
}

const documentText = ({ url, reply }: MetadataDocument) => `${url.href}: ${describe(reply)}`
