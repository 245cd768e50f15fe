/** Checks at the account whether the grant of an access token is still active, and its person still admitted. */
import type { Accounts } from '../../ports/accounts.ts'
import { validFromOf } from '../../ports/revocations.ts'
import type { Sealer } from '../../ports/sealer.ts'
import type { SigningKeys } from '../../ports/signing-keys.ts'
import type { Admission } from '../people/admission.ts'
import type { CheckGrant, GrantClaims } from '../resource/verified-tokens.ts'
import { openGrantKey } from './sealed-json.ts'
import { splitProps } from './stored-props.ts'

const INACTIVE = { active: false }

/**
 * A token of a grant whose key cannot be opened, as after a change of `EDGEWAY_SECRET`, is not active:
 * a handler must not take a caller with props for one without.
 */
export function createGrantCheck(
  sealer: Sealer,
  accounts: Accounts,
  admission: Admission | undefined,
  revocations: SigningKeys['revocations'],
): CheckGrant {
  const prepare = async ({ subject, grantId = '', grantKey = '' }: GrantClaims) => {
    const key = await openGrantKey(sealer, grantId, grantKey)
    return key === undefined ? undefined : { account: accounts.of(subject), key }
  }
  // A token's grant is checked repeatedly, but its account and its key never change.
  const prepared = new WeakMap<GrantClaims, NonNullable<Awaited<ReturnType<typeof prepare>>>>()
  return async (token) => {
    const { grantId, clientId, issuedAt = 0 } = token
    const revoked = await revocations()
    const { validFrom } = revoked
    if (grantId === undefined) {
      return { active: issuedAt >= (await validFromOf(revoked, clientId)), validFrom }
    }
    const known = prepared.get(token) ?? (await prepare(token))
    if (known === undefined) return INACTIVE
    prepared.set(token, known)
    const checked = await known.account.check(grantId, known.key)
    const { active, props: stored, definitionVersion } = checked
    if (!active) return INACTIVE
    const { props, attributes } = splitProps(stored)
    if (admission === undefined) return { active, props, definitionVersion, validFrom }
    // The lists, the author's data, or the person may have changed since the consent.
    const access = await admission.accessOf(token.subject, attributes)
    if (access === undefined) return INACTIVE
    return { active, props, scopes: access.scopes, definitionVersion, validFrom }
  }
}
