/**
 * Signs in as any client does: dynamic registration, then the authorization code flow with PKCE. The
 * browser leaves the page and returns to `/inspect/callback`.
 */
import { encodeBase64Url } from '../../src/platform/base64.ts'
import { responseDifference } from '../../src/protocol/client-checks.ts'
import { type Discovered, discover, SignInError } from './discovery.ts'
import { keepRequest, type RunRequest } from './run-request.ts'
import { post, requestTokens, type TokenSource } from './token-request.ts'

const CALLBACK_PATH = '/inspect/callback'
const PAGE_PATH = '/inspect'

/** What the page needs when the browser returns. */
interface Pending {
  readonly state: string
  readonly verifier: string
  readonly source: TokenSource
  readonly issuer: string
  readonly namesIssuer: boolean
  /** The fragment of the address that is restored. */
  readonly hash: string
  /** The request that needs the sign-in. */
  readonly request?: RunRequest | undefined
}

const PENDING_KEY = 'edgeway-inspector-sign-in'

/**
 * Leaves the page for the authorization server.
 *
 * @param challenge the `WWW-Authenticate` header of the refusal
 * @param request is sent again when the browser has returned
 * @throws {SignInError}
 */
export async function beginSignIn(
  endpoint: URL,
  challenge: string,
  request?: RunRequest,
): Promise<void> {
  const found = await discover(endpoint, challenge)
  const { issuer, namesIssuer, tokenEndpoint, resource, scope } = found
  const clientId = await register(found)
  const verifier = random()
  const pending: Pending = {
    state: random(),
    verifier,
    source: { clientId, tokenEndpoint, resource },
    issuer,
    namesIssuer,
    hash: location.hash,
    request,
  }
  sessionStorage.setItem(PENDING_KEY, JSON.stringify(pending))
  const target = new URL(found.authorizationEndpoint)
  const query = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri(),
    state: pending.state,
    code_challenge: await digestOf(verifier),
    code_challenge_method: 'S256',
    resource,
    ...(scope !== undefined && { scope }),
  }
  for (const [name, value] of Object.entries(query)) target.searchParams.set(name, value)
  if (!/^https?:$/.test(target.protocol)) {
    throw new SignInError('The authorization endpoint has no web address.')
  }
  location.assign(target.href)
}

/**
 * Exchanges the code of the authorization response, on the page of the callback alone. Returns whether the
 * page was opened by one.
 *
 * @throws {SignInError}
 */
export async function completeSignIn(): Promise<boolean> {
  if (location.pathname !== CALLBACK_PATH) return false
  const response = new URLSearchParams(location.search)
  const stored = sessionStorage.getItem(PENDING_KEY)
  sessionStorage.removeItem(PENDING_KEY)
  const pending = stored === null ? undefined : (JSON.parse(stored) as Pending)
  // The code must not stay in the address or the history.
  history.replaceState(null, '', `${PAGE_PATH}${pending?.hash ?? ''}`)
  if (pending === undefined) {
    throw new SignInError('The sign-in was begun by another page. Sign in again.')
  }
  const difference = responseDifference(response, pending)
  if (difference !== undefined) throw new SignInError(`${difference}. Sign in again.`)
  const code = response.get('code')
  if (code === null) {
    const reason = response.get('error_description') ?? response.get('error') ?? 'no code'
    throw new SignInError(`The authorization server refused: ${reason}`)
  }
  await requestTokens(pending.source, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri(),
    code_verifier: pending.verifier,
  })
  const { hash, request } = pending
  keepRequest(request && { hash, request })
  return true
}

/** @see https://www.rfc-editor.org/rfc/rfc7591#section-3.1 */
async function register({ registrationEndpoint }: Discovered): Promise<string> {
  if (registrationEndpoint === undefined) {
    throw new SignInError('The authorization server does not register clients. Enter a token.')
  }
  const answer = await post(registrationEndpoint, 'registration', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Edgeway inspector',
      redirect_uris: [redirectUri()],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    }),
  })
  if (typeof answer.client_id === 'string') return answer.client_id
  throw new SignInError('The registration has no client_id.')
}

function redirectUri(): string {
  return new URL(CALLBACK_PATH, location.origin).href
}

function random(): string {
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(32)))
}

async function digestOf(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return encodeBase64Url(new Uint8Array(bytes))
}
