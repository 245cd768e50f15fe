/** Refusals as data. The reasons are for telemetry, and say nothing that a caller has sent. */
import type { Refused } from '../../src/ports/accounts.ts'

export const invalidGrant = (reason: string): Refused => ({ refused: 'invalid_grant', reason })
export const invalidScope = (reason: string): Refused => ({ refused: 'invalid_scope', reason })
export const invalidTarget = (reason: string): Refused => ({ refused: 'invalid_target', reason })

export const isRefused = (value: object): value is Refused => 'refused' in value
