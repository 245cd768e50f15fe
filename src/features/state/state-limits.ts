/** The limits of values, which are options of `state()`. */

export const DEFAULT_STATE_LIMITS = {
  /** Maximum size of one value of `ctx.state`, in bytes of JSON; at most 1 MiB. Default 64 KiB. */
  bytes: 64 * 1024,
  /**
   * Longest lifetime of a state handle after it was created or updated, in milliseconds; at most 89 days from
   * its creation. Default 30 days.
   */
  ttlMs: 30 * 24 * 60 * 60 * 1000,
  /**
   * State handles and values of `ctx.state.principal` of one principal at the same time; handles of
   * anonymous callers are counted by network. Default 1000.
   */
  perPrincipal: 1000,
  /** Values of `ctx.state.session` at the same time. Default 100. */
  perSession: 100,
}

export type StateLimits = Readonly<typeof DEFAULT_STATE_LIMITS>
