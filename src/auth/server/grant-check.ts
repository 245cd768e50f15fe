/** Checks at the account whether the grant of an access token is still active. */
import type { Accounts } from '../../ports/accounts.ts'
import type { Sealer } from '../../ports/sealer.ts'
import type { AccessToken } from '../resource/access-token.ts'
import type { CheckGrant } from '../resource/verified-tokens.ts'

export function createGrantCheck(sealer: Sealer, accounts: Accounts): CheckGrant {
  const prepare = async ({ subject, grantId = '', grantKey }: AccessToken) => {
    const opened = grantKey && (await sealer.open('grant-key', grantKey, grantId))
    return {
      account: accounts.of(subject),
      key: opened ? new TextDecoder().decode(opened) : undefined,
    }
  }
  // A token's grant is checked every second, but its account and its key never change.
  const prepared = new WeakMap<AccessToken, Awaited<ReturnType<typeof prepare>>>()
  return async (token) => {
    const { grantId } = token
    if (grantId === undefined) return { active: true }
    const known = prepared.get(token) ?? (await prepare(token))
    prepared.set(token, known)
    return known.account.check(grantId, known.key)
  }
}
