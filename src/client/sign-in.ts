/** The steps of the authorization code flow with PKCE, as a client takes them after `discover.ts`. */
import { type ExpectedResponse, responseDifference } from './client-checks.ts'
import { type Members, post, type SendRequest, SignInError } from './client-http.ts'
import { type Discovered, requiredEndpoint } from './discover.ts'

export interface RegisteredClient {
  readonly clientId: string
  readonly clientSecret: string | undefined
}

/**
 * Registers a public client.
 *
 * @throws {SignInError}
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
  const answer = await post(send, endpoint, 'registration', metadata)
  const { client_id: clientId, client_secret: secret } = answer
  if (typeof clientId !== 'string') throw new SignInError('The registration has no client_id')
  return { clientId, clientSecret: typeof secret === 'string' ? secret : undefined }
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

/** @throws {SignInError} for a server without a page */
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

/** @throws {SignInError} unless the response has a code and is that of the request */
export function codeIn(response: URLSearchParams, pending: PendingAuthorization): string {
  const difference = responseDifference(response, pending)
  if (difference !== undefined) throw new SignInError(difference)
  const code = response.get('code')
  if (code) return code
  const reason = response.get('error_description') ?? response.get('error') ?? 'no code'
  throw new SignInError(`The authorization server refused: ${reason}`)
}

export interface TokenClient {
  readonly tokenEndpoint: URL
  readonly clientId: string
  readonly clientSecret?: string | undefined
  readonly resource: string
}

export interface IssuedTokens {
  readonly accessToken: string
  readonly refreshToken: string | undefined
}

/** Sends a grant to the token endpoint. @throws {SignInError} */
export async function requestTokens(
  send: SendRequest,
  client: TokenClient,
  grant: Readonly<Record<string, string>>,
): Promise<IssuedTokens> {
  const answer: Members = await post(send, client.tokenEndpoint, 'token', tokenForm(client, grant))
  const { access_token: accessToken, refresh_token: refreshToken } = answer
  if (!isHeaderToken(accessToken)) throw new SignInError('The token endpoint sent no access token')
  return { accessToken, refreshToken: isHeaderToken(refreshToken) ? refreshToken : undefined }
}

/** The form of a token request. */
export function tokenForm(
  { clientId, clientSecret, resource }: TokenClient,
  grant: Readonly<Record<string, string>>,
): URLSearchParams {
  const form = new URLSearchParams({ ...grant, client_id: clientId, resource })
  if (clientSecret !== undefined) form.set('client_secret', clientSecret)
  return form
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
