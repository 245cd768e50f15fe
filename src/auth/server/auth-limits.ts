/** The lifetimes of the authorization server and their defaults. */

import { DEFAULT_GRANT_CHECK_AGES, type GrantCheckAges } from '../resource/verified-tokens.ts'

/** All durations in milliseconds. */
export interface AuthLimits extends GrantCheckAges {
  /** Lifetime of an authorization code. Default 60 s. */
  readonly codeTtlMs: number
  /** Lifetime of an access token that belongs to a grant. At most 30 days. Default 24 hours. */
  readonly accessTtlMs: number
  /** Lifetime of an access token without a grant (client credentials, assertions), which cannot be revoked. Default 1 hour. */
  readonly serviceAccessTtlMs: number
  /** Lifetime of a grant without a refresh. At most 90 days. Default 60 days. */
  readonly refreshIdleMs: number
  /** Lifetime of a grant in total. Default 365 days. */
  readonly grantLifetimeMs: number
  /** How long a used refresh token returns its successor again. Later use revokes the grant. Default 30 s. */
  readonly refreshGraceMs: number
  /** Time for a person to answer the consent page and to sign in. Default 10 minutes. */
  readonly transactionTtlMs: number
  /** How long a browser stays signed in. Default 12 hours. */
  readonly loginTtlMs: number
  /** The longest lifetime that a person can choose for a personal access token. At most 90 days. Default 90 days. */
  readonly personalTokenTtlMs: number
}

export const DEFAULT_AUTH_LIMITS: AuthLimits = {
  codeTtlMs: 60_000,
  accessTtlMs: 24 * 60 * 60 * 1000,
  serviceAccessTtlMs: 60 * 60 * 1000,
  refreshIdleMs: 60 * 24 * 60 * 60 * 1000,
  grantLifetimeMs: 365 * 24 * 60 * 60 * 1000,
  refreshGraceMs: 30_000,
  transactionTtlMs: 600_000,
  loginTtlMs: 12 * 60 * 60 * 1000,
  personalTokenTtlMs: 90 * 24 * 60 * 60 * 1000,
  ...DEFAULT_GRANT_CHECK_AGES,
}

const DAY_MS = 24 * 60 * 60 * 1000

/** Tokens are signed or sealed and cannot outlive the keys of the keyring. Grants have no such maximum. */
const MAXIMUM: Readonly<Record<keyof AuthLimits, number>> = {
  codeTtlMs: DAY_MS,
  accessTtlMs: 30 * DAY_MS,
  serviceAccessTtlMs: 30 * DAY_MS,
  refreshIdleMs: 90 * DAY_MS,
  grantLifetimeMs: Number.MAX_SAFE_INTEGER,
  refreshGraceMs: DAY_MS,
  transactionTtlMs: DAY_MS,
  loginTtlMs: 90 * DAY_MS,
  personalTokenTtlMs: 90 * DAY_MS,
  grantCheckFreshMs: DAY_MS,
  grantCheckMaxAgeMs: DAY_MS,
}

/** @throws {TypeError} for an unknown limit, and for a value that is not an integer from 1 (grant checks: 0) to the maximum */
export function resolveAuthLimits(overrides: Partial<AuthLimits> = {}): AuthLimits {
  for (const [name, value] of Object.entries(overrides)) {
    if (!Object.hasOwn(MAXIMUM, name)) throw new TypeError(`Unknown limit "${name}"`)
    const maximum = MAXIMUM[name as keyof AuthLimits]
    const minimum = Object.hasOwn(DEFAULT_GRANT_CHECK_AGES, name) ? 0 : 1
    if (!Number.isSafeInteger(value) || value < minimum || value > maximum) {
      throw new TypeError(`The limit "${name}" must be an integer from ${minimum} to ${maximum}`)
    }
  }
  return { ...DEFAULT_AUTH_LIMITS, ...overrides }
}
