/** The types of `ctx.step`. */

export interface StepOptions {
  /** How often a step that throws is attempted again, 0 to 100. Default 0. */
  readonly retries?: number
  /** The pauses between attempts. */
  readonly backoff?: StepBackoff
  /** Timeout of one attempt in milliseconds. Default: none of its own. */
  readonly timeoutMs?: number
  /**
   * Whether the step may run again when the server was interrupted while it ran. Without it, the task
   * then fails and names the step. Default false.
   */
  readonly idempotent?: boolean
}

/** Exponential pauses between the attempts of a step. At most a minute each, because they are spent in memory. */
export interface StepBackoff {
  /** The pause before the second attempt, in milliseconds. Default 500. */
  readonly initialMs?: number
  /** How many times longer each further pause is. Default 2. */
  readonly factor?: number
  /** The longest pause, in milliseconds. Default, and at most, 60,000. */
  readonly maxMs?: number
}

/** What the work of a step receives. */
export interface StepContext {
  /**
   * Identifies the step for systems that accept an idempotency key: the same for every attempt, however
   * often the handler runs.
   */
  readonly stepId: string
  /** 1 for the first attempt. */
  readonly attempt: number
  /** Aborted when the attempt exceeds its timeout. */
  readonly signal: AbortSignal
}
