/** The lifetimes of the authorization server and their defaults. */

/** All durations in milliseconds. */
export interface AuthLimits {
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
  /** Maximum age of a cached grant check. A revoked token may still be accepted for this long. Default 1 s. */
  readonly grantCheckMs: number
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
  grantCheckMs: 1000,
}
