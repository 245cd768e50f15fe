/** The keys that sign access tokens, and their public keys. */
import type { Revocations } from './revocations.ts'

/** A public key as published in the key set. @see https://www.rfc-editor.org/rfc/rfc7517#section-4 */
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
  /**
   * The key to sign with now (ES256, not extractable).
   *
   * @throws {Error} when the keyring holds no key
   */
  signingKey(): Promise<{ readonly kid: string; readonly key: CryptoKey }>
  /** Every key that an unexpired token can be signed with, and keys published ahead of their use; newest first. */
  jwks(): Promise<{ readonly keys: readonly PublicSigningKey[] }>
  /** The public key of a key id; undefined when it is unknown. An unknown key id causes no call of a Durable Object. */
  verificationKey(kid: string): Promise<CryptoKey | undefined>
  /** What was revoked for many grants at once. @param maxAgeMs how old the answer may be. Default ten seconds */
  revocations(maxAgeMs?: number): Promise<Revocations>
}
