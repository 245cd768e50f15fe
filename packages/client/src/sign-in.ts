/** The steps of the authorization code flow with PKCE, as a client takes them after `discover.ts`. */
import { type ExpectedResponse, responseDifference } from './client-checks.ts'
import {
  type ClientRequest,
  type Members,
  post,
  postRequest,
  type SendRequest,
} from './client-http.ts'
import { type Discovered, requiredEndpoint } from './discover.ts'
import { signInError } from './mcp-error.ts'

export interface RegisteredClient {
  readonly clientId: string
  /** Undefined for a public client. */
  readonly clientSecret?: string | undefined
  /** Whether the secret is sent by HTTP Basic, and not in the form. */
  readonly usesBasic?: boolean
}

/**
 * Registers a public client.
 *
 * @throws {McpError}
 * @see https://www.rfc-editor.org/rfc/rfc7591#section-3.1
 */
export async function register(
  send: SendRequest,
  server: Discovered,
  name: string,
  redirectUri: string,
): Promise<RegisteredClient> {
  const endpoint = requiredEndpoint(server, 'registration_endpoint')
  const metadata = { ...registrationOf(name, [redirectUri]), ...applicationType(redirectUri) }
  const answer = await post(send, 'registration', postRequest(endpoint, metadata))
  const client = registeredClient(answer, server.authMethods)
  if (client === undefined) throw signInError('The registration has no client_id')
  return client
}

const WITH_SECRET = ['client_secret_basic', 'client_secret_post']

/**
 * The client of a registration; undefined without a `client_id`. It authenticates by the method that was registered, if
 * the server lists it, otherwise by one that the server lists.
 *
 * @param listed `token_endpoint_auth_methods_supported`, whose default is `client_secret_basic`
 * @see https://www.rfc-editor.org/rfc/rfc8414#section-2
 */
export function registeredClient(answer: Members, listed: unknown): RegisteredClient | undefined {
  const { client_id: clientId, client_secret: secret, token_endpoint_auth_method: own } = answer
  if (typeof clientId !== 'string') return undefined
  const isListed = (method: unknown) => !Array.isArray(listed) || listed.includes(method)
  if (typeof secret !== 'string' || (own === 'none' && isListed(own))) return { clientId }
  const methods = [own, ...WITH_SECRET].filter((method) => WITH_SECRET.includes(String(method)))
  const usesBasic = methods.find(isListed) === 'client_secret_basic'
  return { clientId, clientSecret: secret, usesBasic }
}

/** The metadata of a public client. */
export const registrationOf = (name: string, redirectUris: readonly string[]) => ({
  client_name: name,
  redirect_uris: redirectUris,
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
})

/**
 * Without the member, a server with OpenID Connect takes a client for a web site, and refuses its loopback redirect URI.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/client-registration
 */
export const applicationType = (redirectUri: string) => ({
  application_type: redirectUri.startsWith('https:') ? 'web' : 'native',
})

/** What the response of an authorization request is compared with. */
export interface PendingAuthorization extends ExpectedResponse {
  readonly verifier: string
}

export interface AuthorizationRequest extends PendingAuthorization {
  /** The page that the person opens. */
  readonly url: URL
}

/** @throws {McpError} for a server without a page */
export async function beginAuthorization(
  server: Discovered,
  clientId: string,
  redirectUri: string,
  scope: string | undefined = server.scope,
): Promise<AuthorizationRequest> {
  const { resource, issuer, namesIssuer } = server
  const endpoint = requiredEndpoint(server, 'authorization_endpoint')
  const request = await requestPage({ endpoint, clientId, redirectUri, resource, scope })
  return { ...request, issuer, namesIssuer }
}

export interface PageRequest {
  readonly endpoint: URL
  readonly clientId: string
  readonly redirectUri: string
  readonly resource: string
  readonly scope: string | undefined
}

/** The URL of an authorization request with PKCE, and what its response and the token request need. */
export async function requestPage({
  endpoint,
  clientId,
  redirectUri,
  resource,
  scope,
}: PageRequest): Promise<Pick<AuthorizationRequest, 'url' | 'state' | 'verifier'>> {
  const url = new URL(endpoint)
  const verifier = random()
  const state = random()
  const query = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    state,
    code_challenge: await challengeOf(verifier),
    code_challenge_method: 'S256',
    resource,
    ...(scope !== undefined && { scope }),
  }
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return { url, state, verifier }
}

/** @throws {McpError} unless the response has a code and is that of the request */
export function codeIn(response: URLSearchParams, pending: PendingAuthorization): string {
  const difference = responseDifference(response, pending)
  if (difference !== undefined) throw signInError(difference)
  const code = response.get('code')
  if (code) return code
  const reason = response.get('error_description') ?? response.get('error') ?? 'no code'
  throw signInError(`The authorization server refused: ${reason}`)
}

export interface TokenClient extends RegisteredClient {
  readonly tokenEndpoint: URL
  readonly resource: string
}

export interface IssuedTokens {
  readonly accessToken: string
  readonly refreshToken: string | undefined
}

/** Sends a grant to the token endpoint. @throws {McpError} */
export async function requestTokens(
  send: SendRequest,
  client: TokenClient,
  grant: Readonly<Record<string, string>>,
): Promise<IssuedTokens> {
  const answer = await post(send, 'token', tokenRequest(client, grant))
  const { access_token: accessToken, refresh_token: refreshToken } = answer
  if (!isHeaderToken(accessToken)) throw signInError('The token endpoint sent no access token')
  return { accessToken, refreshToken: isHeaderToken(refreshToken) ? refreshToken : undefined }
}

/** The request of a grant. */
export const tokenRequest = (client: TokenClient, grant: Readonly<Record<string, string>>) =>
  clientRequest(client.tokenEndpoint, client, { ...grant, resource: client.resource })

/**
 * A request of a client to an endpoint where it authenticates.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1
 */
export function clientRequest(
  endpoint: URL,
  { clientId, clientSecret, usesBasic }: RegisteredClient,
  fields: Readonly<Record<string, string>>,
): ClientRequest {
  const form = new URLSearchParams(fields)
  if (clientSecret !== undefined && usesBasic) {
    const request = postRequest(endpoint, form)
    const credentials = btoa([clientId, clientSecret].map(encodeURIComponent).join(':'))
    return { ...request, headers: { ...request.headers, authorization: `Basic ${credentials}` } }
  }
  form.set('client_id', clientId)
  if (clientSecret !== undefined) form.set('client_secret', clientSecret)
  return postRequest(endpoint, form)
}

/** The grant of an authorization code. */
export function codeGrant(code: string, verifier: string, redirectUri: string) {
  return {
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    redirect_uri: redirectUri,
  }
}

/** Whether a value can be sent in an Authorization header (RFC 6750 §2.1). */
export const isHeaderToken = (value: unknown): value is string =>
  typeof value === 'string' && /^[\x21-\x7e]+$/.test(value)

/** RFC 7636 §4.1: 32 random bytes. */
function random(): string {
  return base64Url(crypto.getRandomValues(new Uint8Array(32)))
}

async function challengeOf(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  return base64Url(new Uint8Array(digest))
}

/** The command line runs in versions of Node without `Uint8Array.prototype.toBase64`, which `platform/base64.ts` uses. */
function base64Url(bytes: Uint8Array): string {
  const text = btoa(String.fromCodePoint(...bytes))
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
