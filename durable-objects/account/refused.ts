/** Refusals as data. The reasons are for telemetry. */
import type { Refused } from '../../src/ports/accounts.ts'
import type { GrantRefusalReason } from '../../src/ports/grant-refusal.ts'

export const invalidGrant = (reason: GrantRefusalReason): Refused => ({
  refused: 'invalid_grant',
  reason,
})
export const invalidScope = (reason: GrantRefusalReason): Refused => ({
  refused: 'invalid_scope',
  reason,
})
export const invalidTarget = (reason: GrantRefusalReason): Refused => ({
  refused: 'invalid_target',
  reason,
})

export const isRefused = (value: object): value is Refused => 'refused' in value
