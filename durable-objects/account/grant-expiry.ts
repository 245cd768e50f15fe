/** Expiry of grants: the times written when tokens are issued, and the end of a grant. */
import type { AccountLimits } from '../../src/ports/account-limits.ts'
import type { GrantRefusalReason } from '../../src/ports/grant-refusal.ts'
import type { Refused } from '../../src/ports/grant-tokens.ts'
import type { AccountStorage } from './account-storage.ts'
import type { GrantRow, Statements } from './schema.ts'

type AccessTimes = Pick<GrantRow, 'access_until' | 'due_at' | 'last_used_at'>

/** The times of a grant whose refresh token is issued now, together with an access token. */
export function timesAfterRotation(
  { expires_at }: GrantRow,
  limits: AccountLimits,
  now: number,
): AccessTimes & Pick<GrantRow, 'rotated_at' | 'refresh_until'> {
  const refresh_until = Math.min(expires_at, now + limits.refreshIdleMs)
  const times = timesAfterAccess({ expires_at, refresh_until }, limits, now)
  return { ...times, refresh_until, rotated_at: now }
}

/**
 * The times of a grant whose access token is issued now. The grant is due when neither token can be
 * used any more, and no later than its own expiry.
 */
export function timesAfterAccess(
  { expires_at, refresh_until }: Pick<GrantRow, 'expires_at' | 'refresh_until'>,
  { accessTtlMs }: AccountLimits,
  now: number,
): AccessTimes {
  const access_until = now + accessTtlMs
  const due_at = Math.min(expires_at, Math.max(refresh_until, access_until))
  return { access_until, due_at, last_used_at: now }
}

export function isLive(row: GrantRow | undefined, now: number): row is GrantRow {
  return row?.state === 'live' && now < row.due_at
}

/** Ends a grant whose code or refresh token was used twice. */
export function endReplayed(
  storage: AccountStorage,
  row: GrantRow,
  reason: GrantRefusalReason,
): Refused {
  storage.write((statements) => endGrant(statements, row, Date.now()))
  return { ...invalidGrant(reason), revoked: row.id }
}

/**
 * Deletes a grant. A tombstone remains while access tokens of the grant are unexpired, so that
 * telemetry can report them as revoked instead of unknown.
 */
export function endGrant(statements: Statements, row: GrantRow, now: number): void {
  statements.deleteGrant(row.id)
  if (row.access_until > now) statements.insertRevoked(row.id, row.access_until)
}

const refusalWith =
  (refused: Refused['refused']) =>
  (reason: GrantRefusalReason): Refused => ({ refused, reason })

export const invalidGrant = refusalWith('invalid_grant')
export const invalidScope = refusalWith('invalid_scope')
export const invalidTarget = refusalWith('invalid_target')

export const isRefused = (value: object): value is Refused => 'refused' in value
