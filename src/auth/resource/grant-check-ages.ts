/** How old a cached grant check may be: the settings, and their defaults. */

/** In milliseconds. With 0 as the maximum, every request waits for a check. */
export interface GrantCheckAges {
  /** A younger check is used. An older one is used too, and repeated after the response. Default 20 s. */
  readonly grantCheckFreshMs: number
  /**
   * A request waits for a new check when the last one has this age. A revoked token may still be
   * accepted for this long. Default 30 s.
   */
  readonly grantCheckMaxAgeMs: number
}

export const DEFAULT_GRANT_CHECK_AGES: GrantCheckAges = {
  grantCheckFreshMs: 20_000,
  grantCheckMaxAgeMs: 30_000,
}
