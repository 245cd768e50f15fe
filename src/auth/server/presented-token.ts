/** Verifies a token that a client sends for revocation or introspection. */
import type { Account } from '../../ports/accounts.ts'
import type { AccessToken } from '../resource/access-token.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import type { SealedRefresh } from './issue-tokens.ts'
import { openJson } from './sealed-json.ts'

export type PresentedToken =
  | { readonly kind: 'access'; readonly token: AccessToken }
  | {
      readonly kind: 'refresh'
      readonly account: Account
      readonly grantId: string
      readonly state: NonNullable<Awaited<ReturnType<Account['inspectRefresh']>>>
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
