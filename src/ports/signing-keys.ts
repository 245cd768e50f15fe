/** The keys that access tokens are signed with, and what others need to verify them. */

/** As it is published: nothing in it is private. @see https://www.rfc-editor.org/rfc/rfc7517#section-4 */
export interface PublicSigningKey {
  readonly kid: string
  readonly alg: 'ES256'
  readonly use: 'sig'
  readonly kty: 'EC'
  readonly crv: 'P-256'
  readonly x: string
  readonly y: string
}

export interface SigningKeys {
  /** The key to sign with now (ES256). It cannot be exported. */
  signingKey(): Promise<{ readonly kid: string; readonly key: CryptoKey }>
  /** Every key whose tokens may be alive or that is about to be used, newest first. */
  jwks(): Promise<{ readonly keys: readonly PublicSigningKey[] }>
  /** The public key of a kid, or undefined. Never a request per unknown kid. */
  verificationKey(kid: string): Promise<CryptoKey | undefined>
}
