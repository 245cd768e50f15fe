/** What the methods of a test client reject with. */

/** Where the server refused a request, beside its JSON-RPC error. */
export interface McpErrorOptions {
  readonly code?: number | undefined
  readonly data?: unknown
  readonly status: number
  readonly scopes?: readonly string[]
}

/** The server has refused a request: with a JSON-RPC error, or with an HTTP status alone. */
export class McpError extends Error {
  override readonly name = 'McpError'
  /** The JSON-RPC code; undefined where the body is no JSON-RPC error, as of many 401 and 403. */
  readonly code: number | undefined
  /** `error.data` of the JSON-RPC error. */
  readonly data: unknown
  /** The HTTP status. */
  readonly status: number
  /** The scopes that the challenge of a 401 or 403 asks for. */
  readonly scopes: readonly string[]

  constructor(message: string, { code, data, status, scopes = [] }: McpErrorOptions) {
    super(message)
    this.code = code
    this.data = data
    this.status = status
    this.scopes = scopes
  }
}

/** The server has asked, and the test has no answer. */
export class UnansweredAskError extends Error {
  override readonly name = 'UnansweredAskError'
}
