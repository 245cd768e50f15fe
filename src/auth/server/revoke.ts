/**
 * `POST /revoke`. Whatever is handed in, the answer is that it is of no use any more.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7009#section-2
 */

import { jsonResponse } from '../json-response.ts'
import { OAuthError } from '../oauth-error.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import { type PresentedToken, readToken } from './presented-token.ts'
import { readForm } from './read-form.ts'

/** @throws {OAuthError} for a client that does not authenticate, or names no token */
export async function handleRevoke(
  server: AuthorizationServer,
  request: Request,
): Promise<Response> {
  const params = await readForm(request)
  const client = await server.authenticateClient(request.headers, params)
  const text = params.get('token')
  if (text === undefined) throw new OAuthError('invalid_request', 'token is required')
  const token = await readToken(server, text)
  // Another client's token is left alone, and nothing is said of it.
  if (token !== undefined && clientOf(token) === client.id) await revoke(server, token)
  return jsonResponse({})
}

function clientOf(token: PresentedToken): string {
  return token.kind === 'access' ? token.token.clientId : token.state.clientId
}

/** An access token goes with its grant: there is nothing else that could make it useless. */
async function revoke(
  { accounts, onRevoked }: AuthorizationServer,
  token: PresentedToken,
): Promise<void> {
  if (token.kind === 'refresh') {
    await token.account.revoke(token.grantId)
    onRevoked(token.grantId)
    return
  }
  const { subject, grantId } = token.token
  if (grantId === undefined) return
  await accounts.of(subject).revoke(grantId)
  onRevoked(grantId)
}
