/**
 * Finds the authorization server of an endpoint: from the challenge to the metadata of the resource, and from there
 * to that of the server. Each is compared with the one that named it (`client-checks.ts`).
 */

import { resourceLocations, serverLocations } from '../../../src/protocol/metadata-locations.ts'
import {
  endpointDifference,
  issuerDifference,
  namesIssuer,
  resourceDifference,
} from './client-checks.ts'
import { type Members, parseMembers, type SendRequest } from './client-http.ts'
import { isSignInError, signInError } from './mcp-error.ts'

/** The authorization server of an endpoint. */
export interface Discovered {
  /** The resource for which tokens are requested. */
  readonly resource: string
  readonly issuer: string
  /** Whether an authorization response names its issuer. */
  readonly namesIssuer: boolean
  /** The scopes of the challenge, otherwise all scopes of the resource. */
  readonly scope: string | undefined
  /** How clients authenticate at the token endpoint, unchecked: `token_endpoint_auth_methods_supported`. */
  readonly authMethods: unknown
  /** Undefined for an endpoint that the server does not have. */
  endpoint(member: string): URL | undefined
}

export interface DiscoverOptions {
  /** The URL of the protected resource. */
  readonly url: URL
  /** The parameters of the Bearer challenge that refused a request. */
  readonly challenge: Readonly<Record<string, string>>
  /** @throws {McpError} for an issuer or an endpoint that the program may not use */
  readonly checkUrl: (url: URL) => void
}

/** @throws {McpError} that says what is missing, or which metadata is that of another server */
export async function discover(
  send: SendRequest,
  { url, challenge, checkUrl }: DiscoverOptions,
): Promise<Discovered> {
  const resource = await readFirst(send, resourceLocations(url, challenge.resource_metadata))
  check(resourceDifference(resource, url))
  const { authorization_servers: servers, scopes_supported: scopes } = resource
  const issuer: unknown = Array.isArray(servers) ? servers[0] : undefined
  if (typeof issuer !== 'string' || !URL.canParse(issuer)) {
    throw signInError('The protected resource metadata names no authorization server')
  }
  checkUrl(new URL(issuer))
  const server = await readFirst(send, serverLocations(new URL(issuer)))
  check(issuerDifference(server, issuer))
  check(endpointDifference(server))
  const methods = server.code_challenge_methods_supported
  if (!Array.isArray(methods) || !methods.includes('S256')) {
    throw signInError('The authorization server does not support PKCE with S256')
  }
  const all = Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === 'string') : []
  return {
    resource: String(resource.resource),
    issuer,
    namesIssuer: namesIssuer(server),
    scope: challenge.scope ?? (all.length > 0 ? all.join(' ') : undefined),
    authMethods: server.token_endpoint_auth_methods_supported,
    endpoint(member) {
      const value = server[member]
      if (typeof value !== 'string' || !URL.canParse(value)) return undefined
      checkUrl(new URL(value))
      return new URL(value)
    },
  }
}

/** @throws {McpError} for an endpoint that the server does not have */
export function requiredEndpoint(server: Discovered, member: string): URL {
  const url = server.endpoint(member)
  if (url !== undefined) return url
  throw signInError(`The authorization server has no ${member}`)
}

/** The first document that exists. */
async function readFirst(send: SendRequest, urls: readonly URL[]): Promise<Members> {
  const answers: string[] = []
  for (const url of urls) {
    try {
      const headers = { accept: 'application/json' }
      const { status, text } = await send({ method: 'GET', url, headers })
      const members = status === 200 ? parseMembers(text) : undefined
      if (members !== undefined) return members
      answers.push(`${url.href} answered ${status}`)
    } catch (error) {
      // A host that cannot be reached, or may not be, has no document.
      if (!isSignInError(error)) throw error
      answers.push(error.message)
    }
  }
  throw signInError(answers.join('; '))
}

function check(difference: string | undefined): void {
  if (difference !== undefined) throw signInError(difference)
}
