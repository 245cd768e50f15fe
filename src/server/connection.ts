/** The types of `ctx.connect`. `../features/connections` implements it. */

/**
 * Why an account cannot be used: the `reason` of the `ToolError`.
 * - `not-connected`: the person has connected none, has declined, or did not finish in time.
 * - `unknown-account`: none has this id or label, two have the label, or one of several must be named.
 * - `unavailable`: the service does not answer now.
 * - `no-person`: the caller is not signed in, or its token names no app.
 */
export type ConnectionErrorReason =
  | 'not-connected'
  | 'unknown-account'
  | 'unavailable'
  | 'no-person'

export interface ConnectOptions {
  /** The id or the label of an account. Default: that of the argument `account`, then the one that the person prefers. */
  readonly account?: string
  /** Scopes beside those of the connection. The person is asked again for those that are not granted. */
  readonly scopes?: readonly string[]
  /** What the account is needed for, in one sentence for the person. */
  readonly reason?: string
}

/** An account of the person at another service. */
export interface ConnectedAccount {
  readonly account: {
    /** That of the service: stable. */
    readonly id: string
    /** What the service or the person calls it: at most 64 characters of one line. */
    readonly label: string
  }
  /** The access token or the key, renewed where it ends. @throws {ToolError} as `ctx.connect` without asking */
  token(): Promise<string>
  /**
   * Sends a request with the token. Redirects are followed within the origins of the connection; any other one is returned.
   * A request that is answered with 401 is sent once more with a renewed token, unless its body is a stream.
   *
   * @throws {TypeError} for a URL at an origin that the connection does not list
   */
  fetch(url: string | URL, init?: RequestInit): Promise<Response>
}
