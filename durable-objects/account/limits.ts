/** The bounds of accounts, with their written values. */
import type { AccountLimits } from '../../src/ports/accounts.ts'
import { MAX_SEAL_LIFE_MS, MAX_SIGNED_LIFE_MS } from '../keyring/rotation.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

export const DEFAULT_ACCOUNT_LIMITS: AccountLimits = {
  codeTtlMs: MINUTE_MS,
  accessTtlMs: DAY_MS,
  refreshGraceMs: 30_000,
  refreshIdleMs: 60 * DAY_MS,
  grantLifetimeMs: 365 * DAY_MS,
  consentTtlMs: 365 * DAY_MS,
  grantsPerAccount: 200,
  throttleFailures: 10,
  throttleWindowMs: 15 * MINUTE_MS,
  throttleFirstWaitMs: 15_000,
  throttleLongestWaitMs: 15 * MINUTE_MS,
}

/** What carries these is sealed or signed, and stops opening when its key is gone. */
const LONGEST: Partial<AccountLimits> = {
  accessTtlMs: MAX_SIGNED_LIFE_MS,
  refreshIdleMs: MAX_SEAL_LIFE_MS,
}

/** @throws {TypeError} for a limit that is no whole number above 0, is too large, or does not exist */
export function resolveAccountLimits(overrides: Partial<AccountLimits> = {}): AccountLimits {
  const known = Object.keys(DEFAULT_ACCOUNT_LIMITS)
  for (const [name, value] of Object.entries(overrides)) {
    if (!known.includes(name)) throw new TypeError(`There is no limit "${name}"`)
    const longest = LONGEST[name as keyof AccountLimits] ?? Number.MAX_SAFE_INTEGER
    if (!Number.isSafeInteger(value) || value < 1 || value > longest) {
      throw new TypeError(`The limit "${name}" must be a whole number from 1 to ${longest}`)
    }
  }
  return { ...DEFAULT_ACCOUNT_LIMITS, ...overrides }
}
