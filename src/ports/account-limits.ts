/** Limits of the account objects. Durations are in milliseconds. */
export interface AccountLimits {
  /** Lifetime of an authorization code. Default 60 s. */
  readonly codeTtlMs: number
  /** Lifetime of an access token. Revoked grants are remembered as long. Default 24 h, at most 30 days. */
  readonly accessTtlMs: number
  /** How long after a rotation the replaced refresh token still returns its successor. Default 30 s. */
  readonly refreshGraceMs: number
  /** Lifetime of a grant without a refresh. Default 60 days, at most 90. */
  readonly refreshIdleMs: number
  /** Lifetime of a grant, even when it is refreshed. Default 365 days. */
  readonly grantLifetimeMs: number
  /** How long a consent is remembered after its last approval. Default 365 days. */
  readonly consentTtlMs: number
  /**
   * Maximum number of live grants, and of pending ones. One more ends the least recently used of
   * the same kind. Default 200.
   */
  readonly grantsPerAccount: number
  /** Maximum number of personal access tokens. A further one is refused. Default 30. */
  readonly personalTokensPerAccount: number
  /** Failed guesses per key that cause no wait. Default 10. */
  readonly throttleFailures: number
  /** How long failed guesses are counted. Default 15 minutes. */
  readonly throttleWindowMs: number
  /** The first wait. Each further failure doubles it. Default 15 s. */
  readonly throttleFirstWaitMs: number
  /** The longest wait. Default 15 minutes. */
  readonly throttleLongestWaitMs: number
}
