/**
 * Signs in as any client does: dynamic registration, then the authorization code flow with PKCE. The
 * browser leaves the page and returns to `/inspect/callback`.
 */
import { requiredEndpoint } from '../../../client/src/discover.ts'
import { signInError } from '../../../client/src/mcp-error.ts'
import {
  beginAuthorization,
  codeGrant,
  codeIn,
  type PendingAuthorization,
  register,
} from '../../../client/src/sign-in.ts'
import { discoverServer, send } from './discovery.ts'
import { keepRequest, type RunRequest } from './run-request.ts'
import { rememberGrant } from './token-request.ts'
import type { TokenSource } from './tokens.ts'

const CALLBACK_PATH = '/inspect/callback'
const PAGE_PATH = '/inspect'

/** What the page needs when the browser returns. */
interface Pending extends PendingAuthorization {
  readonly source: TokenSource
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
 * @throws {McpError}
 */
export async function beginSignIn(
  endpoint: URL,
  challenge: string,
  request?: RunRequest,
): Promise<void> {
  const server = await discoverServer(endpoint, challenge)
  const { clientId } = await register(send, server, 'Edgeway inspector', redirectUri())
  const { url, ...authorization } = await beginAuthorization(server, clientId, redirectUri())
  const tokenEndpoint = requiredEndpoint(server, 'token_endpoint').href
  const { resource } = server
  const pending: Pending = {
    ...authorization,
    source: { clientId, tokenEndpoint, resource },
    hash: location.hash,
    request,
  }
  sessionStorage.setItem(PENDING_KEY, JSON.stringify(pending))
  location.assign(url.href)
}

/**
 * Exchanges the code of the authorization response, on the page of the callback alone. Returns whether the
 * page was opened by one.
 *
 * @throws {McpError}
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
    throw signInError('The sign-in was begun by another page. Sign in again.')
  }
  const code = codeIn(response, pending)
  await rememberGrant(pending.source, codeGrant(code, pending.verifier, redirectUri()))
  const { hash, request } = pending
  keepRequest(request && { hash, request })
  return true
}

function redirectUri(): string {
  return new URL(CALLBACK_PATH, location.origin).href
}
