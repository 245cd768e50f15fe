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

const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS
const { grantCheckFreshMs, grantCheckMaxAgeMs } = DEFAULT_GRANT_CHECK_AGES

/** The default of each limit, its maximum, and its minimum: 1 unless it is given. */
export type LimitRanges<Limits> = {
  readonly [Name in keyof Limits]: readonly [standard: number, maximum: number, minimum?: number]
}

/** Tokens are signed or sealed and cannot outlive the keys of the keyring. Grants have no such maximum. */
const RANGES: LimitRanges<AuthLimits> = {
  codeTtlMs: [60_000, DAY_MS],
  accessTtlMs: [DAY_MS, 30 * DAY_MS],
  serviceAccessTtlMs: [HOUR_MS, 30 * DAY_MS],
  refreshIdleMs: [60 * DAY_MS, 90 * DAY_MS],
  grantLifetimeMs: [365 * DAY_MS, Number.MAX_SAFE_INTEGER],
  refreshGraceMs: [30_000, DAY_MS],
  transactionTtlMs: [600_000, DAY_MS],
  loginTtlMs: [12 * HOUR_MS, 90 * DAY_MS],
  personalTokenTtlMs: [90 * DAY_MS, 90 * DAY_MS],
  grantCheckFreshMs: [grantCheckFreshMs, DAY_MS, 0],
  grantCheckMaxAgeMs: [grantCheckMaxAgeMs, DAY_MS, 0],
}

/** @throws {TypeError} for an unknown limit, and for a value that is not an integer within its range */
export function resolveLimits<Limits extends object>(
  ranges: LimitRanges<Limits>,
  overrides: Partial<Limits>,
): Limits {
  for (const [name, value] of Object.entries(overrides)) {
    if (!Object.hasOwn(ranges, name)) throw new TypeError(`Unknown limit "${name}"`)
    const [, maximum, minimum = 1] = ranges[name as keyof Limits]
    if (!Number.isSafeInteger(value) || Number(value) < minimum || Number(value) > maximum) {
      throw new TypeError(`The limit "${name}" must be an integer from ${minimum} to ${maximum}`)
    }
  }
  const standard = Object.entries(ranges as LimitRanges<object>).map(([name, [value]]) => [
    name,
    value,
  ])
  return { ...Object.fromEntries(standard), ...overrides }
}

/** @throws {TypeError} see {@link resolveLimits} */
export function resolveAuthLimits(overrides: Partial<AuthLimits> = {}): AuthLimits {
  return resolveLimits(RANGES, overrides)
}

export const DEFAULT_AUTH_LIMITS = resolveAuthLimits()
