/** Refusals of grants as data. Each has an OAuth error for the client and a reason for telemetry. */
import type { GrantRefusalReason } from '../../src/ports/grant-refusal.ts'
import type { Refused } from '../../src/ports/grant-tokens.ts'

const refusalWith =
  (refused: Refused['refused']) =>
  (reason: GrantRefusalReason): Refused => ({ refused, reason })

export const invalidGrant = refusalWith('invalid_grant')
export const invalidScope = refusalWith('invalid_scope')
export const invalidTarget = refusalWith('invalid_target')

export const isRefused = (value: object): value is Refused => 'refused' in value
