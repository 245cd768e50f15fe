/** The end of a handler without a result that can be sent. */

/** Its message is for the author. It is answered and reported by its reason, never by its class. */
export class RunError extends Error {
  /** `cancelled`: also beyond its timeout. `bad-result`: its definition or the protocol does not allow the value. */
  readonly reason: 'cancelled' | 'bad-result'
  /** What the client may read of it. */
  readonly hint: string | undefined

  constructor(reason: RunError['reason'], message?: string, hint?: string) {
    super(message)
    this.reason = reason
    this.hint = hint
  }
}

export function badResult(message: string, hint?: string): RunError {
  return new RunError('bad-result', message, hint)
}
