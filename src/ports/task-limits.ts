/** The limits of tasks, which are options of `tasks()`. */

/** Durations are in milliseconds. */
export const DEFAULT_TASK_LIMITS = {
  /**
   * How long a request holds a call of a client without tasks before it answers with a handle; less where the client is
   * known to wait for less. Default 45 s.
   */
  holdMs: 45_000,
  /** Longest time between the creation of a task and its deletion; at most 89 days. Default 7 days. */
  ttlMs: 7 * 24 * 60 * 60 * 1000,
  /** Tasks of one principal at the same time, ended ones included and cancelled ones not; of anonymous callers, those of one network. The calls without a task that wait for an event have a limit of the same number. Default 1000. */
  perPrincipal: 1000,
}

export type TaskLimits = Readonly<typeof DEFAULT_TASK_LIMITS>
