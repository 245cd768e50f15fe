/** What the methods of a client reject with. */

/**
 * `refused`: by the server, with a JSON-RPC error or an HTTP status alone. `unanswered-ask`: the test has no answer to what
 * the server asks. `sign-in-failed`: a step of the sign-in failed, which the message names.
 */
export type McpErrorReason = 'refused' | 'unanswered-ask' | 'sign-in-failed'

export interface McpErrorOptions extends ErrorOptions {
  /** Default `refused`. */
  readonly reason?: McpErrorReason
  readonly code?: number | undefined
  readonly data?: unknown
  readonly status?: number
  readonly scopes?: readonly string[]
}

export class McpError extends Error {
  override readonly name = 'McpError'
  readonly reason: McpErrorReason
  /** The JSON-RPC code; undefined where the body is no JSON-RPC error, as of many 401 and 403. */
  readonly code: number | undefined
  /** `error.data` of the JSON-RPC error. */
  readonly data: unknown
  /** The HTTP status; undefined where no request was answered. */
  readonly status: number | undefined
  /** The scopes that the challenge of a 401 or 403 asks for. */
  readonly scopes: readonly string[]

  constructor(message: string, options: McpErrorOptions = {}) {
    const { reason = 'refused', code, data, status, scopes = [] } = options
    super(message, options)
    this.reason = reason
    this.code = code
    this.data = data
    this.status = status
    this.scopes = scopes
  }
}

export const signInError = (message: string, options?: ErrorOptions & { status?: number }) =>
  new McpError(message, { ...options, reason: 'sign-in-failed' })

export const isSignInError = (error: unknown): error is McpError =>
  error instanceof McpError && error.reason === 'sign-in-failed'
