/** The token that a client sends to the endpoints of revocation and introspection. */
import type { Account } from '../../ports/accounts.ts'
import type { Client } from '../clients/client.ts'
import { OAuthError } from '../oauth-error.ts'
import type { AccessToken } from '../resource/access-token.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import type { SealedRefresh } from './issue-tokens.ts'
import { readForm } from './read-form.ts'
import { openJson } from './sealed-json.ts'

export type PresentedToken =
  | { readonly kind: 'access'; readonly token: AccessToken }
  | {
      readonly kind: 'refresh'
      readonly account: Account
      readonly grantId: string
      readonly state: NonNullable<Awaited<ReturnType<Account['inspectRefresh']>>>
    }

/**
 * Authenticates the client, and reads the token that it sends.
 *
 * @throws {OAuthError} `invalid_client`, or `invalid_request` without a token
 */
export async function readPresentation(
  server: AuthorizationServer,
  request: Request,
): Promise<{ readonly client: Client; readonly token: string }> {
  const params = await readForm(request)
  const client = await server.authenticateClient(request.headers, params)
  const token = params.get('token')
  if (token === undefined) throw new OAuthError('invalid_request', 'token is required')
  return { client, token }
}

/** Undefined when the text is no token of this server, or an expired one. */
export async function readToken(
  server: AuthorizationServer,
  text: string,
): Promise<PresentedToken | undefined> {
  const { sealer, issuer, accounts, verifyAccessToken } = server
  const refresh = await openJson<SealedRefresh>(sealer, 'refresh-token', text, issuer)
  if (refresh !== undefined) {
    const account = accounts.byName(refresh.account)
    const state = await account.inspectRefresh(refresh.grant, refresh.secret)
    return state && { kind: 'refresh', account, grantId: refresh.grant, state }
  }
  const token = await verifyAccessToken(text)
  return token && { kind: 'access', token }
}
