/** The limits of accounts, and their defaults. */
import { type LimitRanges, resolveLimits } from '../../src/auth/server/auth-limits.ts'
import type { AccountLimits } from '../../src/ports/account-limits.ts'
import { MAX_SEAL_LIFE_MS, MAX_SIGNED_LIFE_MS } from '../keyring/rotation.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const ANY = Number.MAX_SAFE_INTEGER

/** Tokens are signed or sealed and cannot outlive the keys of the keyring. */
const RANGES: LimitRanges<AccountLimits> = {
  codeTtlMs: [MINUTE_MS, ANY],
  accessTtlMs: [DAY_MS, MAX_SIGNED_LIFE_MS],
  refreshGraceMs: [30_000, ANY],
  refreshIdleMs: [60 * DAY_MS, MAX_SEAL_LIFE_MS],
  grantLifetimeMs: [365 * DAY_MS, ANY],
  consentTtlMs: [365 * DAY_MS, ANY],
  grantsPerAccount: [200, ANY],
  personalTokensPerAccount: [30, ANY],
  throttleFailures: [10, ANY],
  throttleWindowMs: [15 * MINUTE_MS, ANY],
  throttleFirstWaitMs: [15_000, ANY],
  throttleLongestWaitMs: [15 * MINUTE_MS, ANY],
}

/** @throws {TypeError} for an invalid limit */
export function resolveAccountLimits(overrides: Partial<AccountLimits> = {}): AccountLimits {
  return resolveLimits(RANGES, overrides)
}
