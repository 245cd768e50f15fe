/** Redeems an authorization code: once, for the first tokens of its grant. */
import type { AccountLimits } from '../../src/ports/account-limits.ts'
import type { CodeRedemption, IssuedGrant, Refused } from '../../src/ports/grant-tokens.ts'
import type { AccountStorage } from './account-storage.ts'
import { makeRoom } from './approve-grant.ts'
import { decideCodeRedemption } from './decide-code-redemption.ts'
import { endReplayed, invalidGrant, isRefused, timesAfterRotation } from './grant-expiry.ts'
import { unwrapGrantKey, wrapGrantKey } from './grant-key.ts'
import { RefreshTokenFamily, readCodeSecret } from './grant-secrets.ts'
import { openProps } from './renewed-props.ts'
import { clientOf, issuedGrant, scopesOf } from './row-json.ts'

/**
 * Decides twice: before the cryptography, to know which keys are needed, and after it, on the grant
 * as it is then. Between the second decision and its write nothing is awaited.
 */
export async function redeemCode(
  storage: AccountStorage,
  input: CodeRedemption,
  limits: AccountLimits,
): Promise<IssuedGrant<string> | Refused> {
  const code = await readCodeSecret(input.codeSecret)
  if (code === undefined) return invalidGrant('code-unknown')
  const decide = () =>
    decideCodeRedemption(storage.existing?.grantByCode(code.digest), input, Date.now())

  const first = decide()
  if (isRefused(first)) return first
  if (first.action === 'replay') return endReplayed(storage, first.row, 'code-replayed')
  const { id, family_key, wrapped_key } = first.row
  const secret = await (await RefreshTokenFamily.open(family_key)).first(code)
  const isPending = first.action === 'redeem'
  const key = await unwrapGrantKey(wrapped_key, isPending ? code : secret, id)
  const rewrapped = await wrapGrantKey(key, secret, id)
  const props = (await openProps(first.row, key))?.json

  const decision = decide()
  if (isRefused(decision)) return decision
  const { action, row } = decision
  if (action === 'replay') return endReplayed(storage, row, 'code-replayed')
  const { dpopJkt, attempt: redeemed_by = null } = input
  const issuance = { scopes: scopesOf(row), dpopJkt, key, props, secret }
  if (action === 'repeat') return issuedGrant(row, issuance)
  const now = Date.now()
  const isPublic = clientOf(row).authMethod === 'none'
  const changes = {
    ...timesAfterRotation(row, limits, now),
    state: 'live' as const,
    redeemed_by,
    generation: secret.generation,
    refresh_hash: secret.digest,
    dpop_jkt: isPublic ? (dpopJkt ?? null) : null,
    wrapped_key: rewrapped,
  }
  storage.write((statements) => {
    makeRoom(statements, 'live', limits, now)
    statements.updateGrant(row.id, changes)
  })
  return issuedGrant({ ...row, ...changes }, issuance)
}
