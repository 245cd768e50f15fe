/** Checks at the account whether the grant of an access token is still active. */
import type { Accounts } from '../../ports/accounts.ts'
import type { Sealer } from '../../ports/sealer.ts'
import type { CheckGrant, GrantClaims } from '../resource/verified-tokens.ts'

const INACTIVE = { active: false }

/**
 * A token of a grant whose key cannot be opened, as after a change of `EDGEWAY_SECRET`, is not active:
 * a handler must not take a caller with props for one without.
 */
export function createGrantCheck(sealer: Sealer, accounts: Accounts): CheckGrant {
  const prepare = async ({ subject, grantId = '', grantKey = '' }: GrantClaims) => {
    const opened = await sealer.open('grant-key/1', grantKey, grantId)
    return opened && { account: accounts.of(subject), key: new TextDecoder().decode(opened) }
  }
  // A token's grant is checked repeatedly, but its account and its key never change.
  const prepared = new WeakMap<GrantClaims, NonNullable<Awaited<ReturnType<typeof prepare>>>>()
  return async (token) => {
    const { grantId } = token
    if (grantId === undefined) return { active: true }
    const known = prepared.get(token) ?? (await prepare(token))
    if (known === undefined) return INACTIVE
    prepared.set(token, known)
    return known.account.check(grantId, known.key)
  }
}
