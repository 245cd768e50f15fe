/** The error of a request to the host. */

/**
 * `no-host`: the page is in no frame. `no-answer`: the host did not answer `ui/initialize` in time. `refused`: the
 * host answered with an error. `malformed`: its answer is no result.
 */
export type ViewErrorReason = 'no-host' | 'no-answer' | 'refused' | 'malformed'

export class ViewError extends Error {
  override readonly name = 'ViewError'
  readonly reason: ViewErrorReason
  /** The JSON-RPC code of the host, where it answered with one. */
  readonly code: number | undefined

  constructor(reason: ViewErrorReason, message: string, code?: number) {
    super(message)
    this.reason = reason
    this.code = code
  }
}
