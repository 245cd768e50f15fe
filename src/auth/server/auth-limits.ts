/** Every bound of the authorization server, with its written value. */

/** Durations in milliseconds. */
export interface AuthLimits {
  /** From the consent to the exchange of its code. Default 60 s. */
  readonly codeTtlMs: number
  /** An access token; its grant is checked again every second. Default 24 hours. */
  readonly accessTtlMs: number
  /** An access token that has no grant to check: client credentials, assertions. Default 1 hour. */
  readonly serviceAccessTtlMs: number
  /** A grant that is not used. Default 60 days. */
  readonly refreshIdleMs: number
  /** A grant, however much it is used. Default 365 days. */
  readonly grantLifetimeMs: number
  /** How long a spent refresh token still gives its successor. Default 30 s. */
  readonly refreshGraceMs: number
  /** From the question to the answer on the consent page. Default 10 minutes. */
  readonly transactionTtlMs: number
  /** How long a browser stays signed in. Default 12 hours. */
  readonly loginTtlMs: number
  /** At most between two looks at a grant's state. Default 1 s. */
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
