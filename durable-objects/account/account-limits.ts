/** Default values and validation of the account limits. */
import type { AccountLimits } from '../../src/ports/account-limits.ts'
import { MAX_SEAL_LIFE_MS, MAX_SIGNED_LIFE_MS } from '../keyring/rotation.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

const DEFAULT_ACCOUNT_LIMITS: AccountLimits = {
  codeTtlMs: MINUTE_MS,
  accessTtlMs: DAY_MS,
  refreshGraceMs: 30_000,
  refreshIdleMs: 60 * DAY_MS,
  grantLifetimeMs: 365 * DAY_MS,
  consentTtlMs: 365 * DAY_MS,
  grantsPerAccount: 200,
  personalTokensPerAccount: 30,
  throttleFailures: 10,
  throttleWindowMs: 15 * MINUTE_MS,
  throttleFirstWaitMs: 15_000,
  throttleLongestWaitMs: 15 * MINUTE_MS,
}

/** Tokens are signed or sealed and cannot outlive the keys of the keyring. */
const MAXIMUM: Partial<AccountLimits> = {
  accessTtlMs: MAX_SIGNED_LIFE_MS,
  refreshIdleMs: MAX_SEAL_LIFE_MS,
}

/** @throws {TypeError} for an unknown limit, and for a value that is not an integer from 1 to the maximum */
export function resolveAccountLimits(overrides: Partial<AccountLimits>): AccountLimits {
  const names = Object.keys(DEFAULT_ACCOUNT_LIMITS)
  for (const [name, value] of Object.entries(overrides)) {
    if (!names.includes(name)) throw new TypeError(`Unknown limit "${name}"`)
    const maximum = MAXIMUM[name as keyof AccountLimits] ?? Number.MAX_SAFE_INTEGER
    if (!Number.isSafeInteger(value) || value < 1 || value > maximum) {
      throw new TypeError(`The limit "${name}" must be an integer from 1 to ${maximum}`)
    }
  }
  return { ...DEFAULT_ACCOUNT_LIMITS, ...overrides }
}
