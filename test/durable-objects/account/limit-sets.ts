/** The account limits that accounts are tested with. Each set needs its own object class. */
import type { AccountLimits } from '../../../src/ports/account-limits.ts'

const HOUR_MS = 3_600_000

export const LIMIT_SETS = {
  default: {},
  shortGrants: { grantLifetimeMs: HOUR_MS, accessTtlMs: 2 * HOUR_MS },
  shortRefreshTokens: { refreshIdleMs: HOUR_MS, accessTtlMs: 2 * HOUR_MS },
  threeGrants: { grantsPerAccount: 3 },
  lowCaps: { grantsPerAccount: 2, throttleFailures: 2 },
} as const satisfies Readonly<Record<string, Partial<AccountLimits>>>

export type LimitSet = keyof typeof LIMIT_SETS
