/** Who is calling, as plain data: how an identity reaches a handler. */

export interface AuthInfo {
  /** The person or service the token speaks for (`sub`). */
  readonly subject: string
  /** The OAuth client that holds the token (`client_id`). */
  readonly clientId: string
  readonly scopes: readonly string[]
  /** What the author's own callback attached when the token was issued. */
  readonly props?: { readonly [key: string]: unknown }
}
