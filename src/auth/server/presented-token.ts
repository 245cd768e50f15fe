/** The token that a client sends to the endpoints of revocation and introspection. */
import type { Client } from '../clients/client.ts'
import { presentsClient } from '../clients/presented-credentials.ts'
import { OAuthError } from '../oauth-error.ts'
import type { AccessToken } from '../resource/access-token.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import { findExpiredRegistration } from './expired-registration.ts'
import { type PresentedRefreshToken, readRefreshToken } from './presented-refresh-token.ts'

export type PresentedToken =
  | { readonly kind: 'access'; readonly token: AccessToken }
  | PresentedRefreshToken

/**
 * Authenticates the client, and reads the token that it sends.
 *
 * @param options.anonymous the `invalid_client` error for a request that names no client. Default: `invalid_request`
 * @throws {OAuthError} `invalid_client`, or `invalid_request` without a token
 */
export async function readPresentation(
  server: AuthorizationServer,
  headers: Headers,
  params: ReadonlyMap<string, string>,
  { anonymous }: { readonly anonymous?: string } = {},
): Promise<{ readonly client: Client; readonly token: string }> {
  const token = params.get('token')
  // Without a token either, the request is malformed.
  if (anonymous !== undefined && token !== undefined && !presentsClient(headers, params)) {
    throw new OAuthError('invalid_client', anonymous)
  }
  const client = await server.authenticateClient(headers, params, (id) =>
    findExpiredRegistration(server, id, token),
  )
  if (token === undefined) throw new OAuthError('invalid_request', 'token is required')
  return { client, token }
}

/** Undefined when the text is no token of this server, or an expired one. */
export async function readToken(
  server: AuthorizationServer,
  text: string,
): Promise<PresentedToken | undefined> {
  const refresh = await readRefreshToken(server, text)
  if (refresh !== undefined) return refresh
  const token = await server.verifyAccessToken(text)
  return token && { kind: 'access', token }
}
