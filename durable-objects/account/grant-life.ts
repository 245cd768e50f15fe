/** How a grant begins, goes on and ends: its rows, and the times in them. */
import type { AccountLimits } from '../../src/ports/accounts.ts'
import type { RefreshSecret } from './refresh-secret.ts'
import type { GrantRow, Renewal, Statements } from './schema.ts'

interface NewSecret {
  readonly secret: RefreshSecret
  readonly wrapped: ArrayBuffer
  /** The key that the refresh token is bound to from now on. */
  readonly dpopJkt: string | null
  readonly redeemedBy: string
}

/** A grant whose newest refresh token is this one, issued now. */
export function renewed(
  { expires_at }: GrantRow,
  { secret, wrapped, dpopJkt, redeemedBy }: NewSecret,
  { refreshIdleMs, accessTtlMs }: AccountLimits,
  now: number,
): Renewal {
  const refresh_until = Math.min(expires_at, now + refreshIdleMs)
  const access_until = now + accessTtlMs
  return {
    generation: secret.generation,
    refresh_hash: secret.hash,
    rotated_at: now,
    refresh_until,
    access_until,
    due_at: endOf(expires_at, refresh_until, access_until),
    last_used_at: now,
    dpop_jkt: dpopJkt,
    redeemed_by: redeemedBy,
    wrapped_key: wrapped,
  }
}

/** A grant with one more access token, issued now. */
export function prolonged(
  { expires_at, refresh_until }: GrantRow,
  { accessTtlMs }: AccountLimits,
  now: number,
): Pick<GrantRow, 'access_until' | 'due_at' | 'last_used_at'> {
  const access_until = now + accessTtlMs
  const due_at = endOf(expires_at, refresh_until, access_until)
  return { access_until, due_at, last_used_at: now }
}

/** Tokens that are still about are refused by the tombstone, as by its absence: it tells what became of them. */
export function endGrant(statements: Statements, row: GrantRow, now: number): void {
  statements.deleteGrant(row.id)
  if (row.access_until > now) statements.insertRevoked(row.id, row.access_until)
}

export function isLive(row: GrantRow | undefined, now: number): row is GrantRow {
  return row?.state === 'live' && now < row.due_at
}

/** While either token may be used, and no longer than the person was asked for. */
function endOf(expiresAt: number, refreshUntil: number, accessUntil: number): number {
  return Math.min(expiresAt, Math.max(refreshUntil, accessUntil))
}
