/** The refresh token that a client sends, with the state of its grant. */
import type { Account } from '../../ports/accounts.ts'
import type { RefreshState } from '../../ports/grant-tokens.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import type { SealedRefresh } from './issue-tokens.ts'
import { openJson } from './sealed-json.ts'

export interface PresentedRefreshToken {
  readonly kind: 'refresh'
  readonly account: Account
  readonly grantId: string
  readonly state: RefreshState
}

/** Undefined when the text is no refresh token of a live grant of this server. */
export async function readRefreshToken(
  { sealer, issuer, accounts }: AuthorizationServer,
  text: string,
): Promise<PresentedRefreshToken | undefined> {
  const refresh = await openJson<SealedRefresh>(sealer, 'refresh-token/1', text, issuer)
  if (refresh === undefined) return undefined
  const account = accounts.byName(refresh.account)
  const state = await account.inspectRefresh(refresh.grant, refresh.secret)
  return state && { kind: 'refresh', account, grantId: refresh.grant, state }
}
