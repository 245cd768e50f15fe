/** The end of a handler without a result that can be sent. */

/** Its message is for the author. */
export class RunError extends Error {
  override readonly name = 'RunError'
  /** `cancelled`: also beyond its timeout. `bad-result`: its definition or the protocol does not allow the value. */
  readonly reason: 'cancelled' | 'bad-result' | 'too-large'
  /** Of a result that is too large: the UTF-16 code units of its JSON text. */
  readonly length: number | undefined

  constructor(reason: RunError['reason'], message?: string, length?: number) {
    super(message)
    this.reason = reason
    this.length = length
  }
}

export const badResult = (message: string): RunError => new RunError('bad-result', message)

export function tooLarge(length: number, limit: number): RunError {
  const message = `its result has ${length} characters; limits.resultBytes is ${limit}`
  return new RunError('too-large', message, length)
}
