/** Who is calling, as plain data: how an identity reaches a handler. */

export interface AuthInfo {
  /** The person or service the token speaks for (`sub`). */
  readonly subject: string
  /** The OAuth client that holds the token (`client_id`). */
  readonly clientId: string
  readonly scopes: readonly string[]
  /** Who issued the token (`iss`), and for which resource (`aud`): the same person elsewhere is another principal. */
  readonly issuer: string
  readonly resource: string
  /** What the author's own callback attached when the token was issued. */
  readonly props?: { readonly [key: string]: unknown }
}
