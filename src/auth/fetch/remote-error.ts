/** The error of another server: an upstream provider, or the host of a document. */

/** Its message is for the author, and holds no content of a request or response. */
export class RemoteError extends Error {
  override readonly name = 'RemoteError'
  /**
   * The OAuth error code of a response that has one, or of a token that is invalid; the failure of a document. Undefined
   * when the server is unavailable.
   */
  readonly code: string | undefined

  constructor(message: string, options?: ErrorOptions & { readonly code?: string | undefined }) {
    super(message, options)
    this.code = options?.code
  }
}
