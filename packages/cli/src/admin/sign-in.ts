/**
 * Obtains an access token for the admin API: a person signs in with a browser and consents. Nothing is sent
 * to a server whose metadata belongs to another one (`packages/client/src/client-checks.ts`).
 */

import { type Result, valid } from '../../../../src/platform/result.ts'
import { isLoopbackName } from '../../../../src/protocol/loopback-name.ts'
import { post, type SendRequest } from '../../../client/src/client-http.ts'
import { type Discovered, discover, requiredEndpoint } from '../../../client/src/discover.ts'
import { isSignInError, signInError } from '../../../client/src/mcp-error.ts'
import {
  beginAuthorization,
  clientRequest,
  codeGrant,
  codeIn,
  type RegisteredClient,
  register,
  requestTokens,
} from '../../../client/src/sign-in.ts'
import { createHttpClient } from '../../../doctor/src/doctor/http/http-client.ts'
import { listenForCallback } from '../../../doctor/src/doctor/oauth/login.ts'
import { type AdminFailure, failure, USER_AGENT } from './admin-call.ts'

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

const TIMEOUT_MS = 10_000

/** The failure says which step failed. */
export async function signIn(options: SignIn): Promise<Result<SignedIn, AdminFailure>> {
  try {
    return valid(await signInAt(options))
  } catch (error) {
    if (!isSignInError(error)) throw error
    return failure('refused', `${error.message}. Use --token`)
  }
}

async function signInAt({ url, challenge, timeoutMs, onPage }: SignIn): Promise<SignedIn> {
  const send = createSend(url)
  const server = await discover(send, {
    url,
    challenge,
    checkUrl: (other) => checkSecure(other, url),
  })
  const listener = await listenForCallback()
  try {
    const { redirectUri } = listener
    const client = await register(send, server, 'Edgeway command line', redirectUri)
    const request = await beginAuthorization(server, client.clientId, redirectUri)
    const tokenEndpoint = requiredEndpoint(server, 'token_endpoint')
    onPage(request.url)
    const response = await listener.wait(request.state, timeoutMs)
    if (response === undefined) throw signInError('The sign-in was not finished')
    const grant = codeGrant(codeIn(response, request), request.verifier, redirectUri)
    const { resource } = server
    const tokens = await requestTokens(send, { tokenEndpoint, ...client, resource }, grant)
    const { accessToken: token, refreshToken = token } = tokens
    return { token, end: () => revoke(send, server, client, refreshToken) }
  } finally {
    listener.close()
  }
}

/** Bounded in time and bytes, and to public addresses where the URL has one. */
function createSend(url: URL): SendRequest {
  const http = createHttpClient({ timeoutMs: TIMEOUT_MS, given: url, userAgent: USER_AGENT })
  return async (request) => {
    const reply = await http.send(request)
    if (reply.ok) return reply
    throw signInError(`${request.url.href} ${reply.failure.detail}`)
  }
}

/** Plain http serves a server under development on this machine alone. */
function checkSecure({ protocol, hostname, href }: URL, given: URL): void {
  if (protocol === 'https:') return
  if (protocol === 'http:' && isLoopbackName(hostname) && isLoopbackName(given.hostname)) return
  throw signInError(`${href} is no https URL`)
}

/** @see https://www.rfc-editor.org/rfc/rfc7009#section-2.1 */
async function revoke(
  send: SendRequest,
  server: Discovered,
  client: RegisteredClient,
  token: string,
): Promise<void> {
  try {
    const endpoint = server.endpoint('revocation_endpoint')
    if (endpoint === undefined) return
    await post(send, 'revocation', clientRequest(endpoint, client, { token }))
  } catch {
    // The response to a revocation has no body, and the grant of a server without revocation expires.
  }
}
