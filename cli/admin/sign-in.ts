/**
 * Obtains an access token for the admin API: a person signs in with a browser and consents. Nothing is sent
 * to a server whose metadata belongs to another one (`src/protocol/client-checks.ts`).
 */

import {
  endpointDifference,
  issuerDifference,
  namesIssuer,
  resourceDifference,
  responseDifference,
} from '../../src/protocol/client-checks.ts'
import { isLoopbackName } from '../../src/protocol/loopback-name.ts'
import { createHttpClient, type HttpClient } from '../doctor/http/http-client.ts'
import { listenForCallback } from '../doctor/oauth/login.ts'
import { resourceLocations, serverLocations } from '../doctor/probes/authorization.ts'
import { prepareAuthorization } from '../doctor/probes/authorization-page.ts'
import { probeRegistration } from '../doctor/probes/registration.ts'
import { isHeaderToken, requestToken } from '../doctor/probes/token.ts'
import { isObject, parseJson } from '../doctor/text.ts'
import { AdminCallError, USER_AGENT } from './admin-call.ts'

export interface SignIn {
  /** The URL of the admin API. */
  readonly url: URL
  /** The parameters of the challenge that refused a call. */
  readonly challenge: Readonly<Record<string, string>>
  readonly timeoutMs: number
  /** Shows the person the page. */
  readonly onPage: (page: URL) => void
}

export interface SignedIn {
  readonly token: string
  /** Revokes the grant of the token, so that the sign-in leaves none behind. Never rejects. */
  end(): Promise<void>
}

type Metadata = Readonly<Record<string, unknown>>

const TIMEOUT_MS = 10_000

/** @throws {AdminCallError} that says which step failed */
export async function signIn({ url, challenge, timeoutMs, onPage }: SignIn): Promise<SignedIn> {
  const http = createHttpClient({ timeoutMs: TIMEOUT_MS, given: url, userAgent: USER_AGENT })
  const { server, scope } = await discover(http, url, challenge)
  const listener = await listenForCallback()
  try {
    const { redirectUri } = listener
    const registration = endpointOf(server, 'registration_endpoint', url)
    const page = endpointOf(server, 'authorization_endpoint', url)
    const endpoint = endpointOf(server, 'token_endpoint', url)
    const name = 'Edgeway command line'
    const { clientId, clientSecret } = await probeRegistration(http, registration, name, [
      redirectUri,
    ])
    if (clientId === undefined) throw new AdminCallError('The registration failed. Use --token')
    const resource = url.href
    const request = { endpoint: page, clientId, redirectUri, resource, scope }
    const { url: shown, state, pkce } = prepareAuthorization(request)
    onPage(shown)
    const response = await listener.wait(state, timeoutMs)
    const client = { endpoint, clientId, clientSecret, resource }
    const { value } = await requestToken(http, client, {
      grant_type: 'authorization_code',
      code: codeIn(response, server, state),
      code_verifier: pkce.verifier,
      redirect_uri: redirectUri,
    })
    const token = value?.access_token
    if (!isHeaderToken(token)) throw new AdminCallError('The server has issued no token')
    const { refresh_token: refreshToken } = value ?? {}
    const revoked = isHeaderToken(refreshToken) ? refreshToken : token
    return { token, end: () => revoke(http, server, { url, clientId, clientSecret, revoked }) }
  } finally {
    listener.close()
  }
}

/** The metadata of the authorization server, and the scopes of the challenge or of the resource. */
async function discover(http: HttpClient, url: URL, challenge: Readonly<Record<string, string>>) {
  const locations = resourceLocations(url, challenge.resource_metadata)
  const resource = await readFirst(http, locations)
  check(resourceDifference(resource, url))
  const { authorization_servers: servers, scopes_supported: scopes } = resource
  const issuer: unknown = Array.isArray(servers) ? servers[0] : undefined
  if (typeof issuer !== 'string' || !isSecure(URL.parse(issuer), url)) {
    throw new AdminCallError('The server names no authorization server. Use --token')
  }
  const server = await readFirst(http, serverLocations(new URL(issuer)))
  check(issuerDifference(server, issuer))
  check(endpointDifference(server))
  const methods = server.code_challenge_methods_supported
  if (!Array.isArray(methods) || !methods.includes('S256')) {
    throw new AdminCallError('The authorization server does not support PKCE. Use --token')
  }
  const all = Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === 'string') : []
  return { server, scope: challenge.scope ?? (all.length > 0 ? all.join(' ') : undefined) }
}

/** @throws {AdminCallError} unless the response has a code and is that of the request */
function codeIn(response: URLSearchParams | undefined, server: Metadata, state: string): string {
  if (response === undefined) throw new AdminCallError('The sign-in was not finished')
  const issuer = String(server.issuer)
  check(responseDifference(response, { state, issuer, namesIssuer: namesIssuer(server) }))
  const code = response.get('code')
  if (code) return code
  const reason = response.get('error_description') ?? response.get('error')
  throw new AdminCallError(reason ?? 'The sign-in was not finished')
}

function check(difference: string | undefined): void {
  if (difference !== undefined) throw new AdminCallError(`${difference}. Use --token`)
}

function endpointOf(metadata: Metadata, member: string, given: URL): URL {
  const value = metadata[member]
  const url = typeof value === 'string' ? URL.parse(value) : null
  if (url === null || !isSecure(url, given)) {
    throw new AdminCallError(`The authorization server has no ${member}. Use --token`)
  }
  return url
}

/** Plain http serves a server under development on this machine alone. */
function isSecure(url: URL | null, given: URL): boolean {
  if (url?.protocol === 'https:') return true
  return url?.protocol === 'http:' && isLoopbackName(url.hostname) && isLoopbackName(given.hostname)
}

/** The first document that exists. No redirect is followed. */
async function readFirst(http: HttpClient, urls: readonly URL[]): Promise<Metadata> {
  const answers: string[] = []
  for (const url of urls) {
    const reply = await http.send({ method: 'GET', url, headers: { accept: 'application/json' } })
    const value = reply.ok && reply.status === 200 ? parseJson(reply.text) : undefined
    if (isObject(value)) return value
    const answer = reply.ok ? `answered ${reply.status}` : reply.failure.detail
    answers.push(`${url.href} ${answer}`)
  }
  throw new AdminCallError(`${answers.join('; ')}. Use --token`)
}

interface Revocation {
  readonly url: URL
  readonly clientId: string
  readonly clientSecret: string | undefined
  readonly revoked: string
}

/** @see https://www.rfc-editor.org/rfc/rfc7009#section-2.1 */
async function revoke(http: HttpClient, server: Metadata, token: Revocation): Promise<void> {
  const value = server.revocation_endpoint
  const endpoint = typeof value === 'string' ? URL.parse(value) : null
  if (endpoint === null || !isSecure(endpoint, token.url)) return
  const form = new URLSearchParams({ token: token.revoked, client_id: token.clientId })
  if (token.clientSecret !== undefined) form.set('client_secret', token.clientSecret)
  await http.send({
    method: 'POST',
    url: endpoint,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
  })
}
