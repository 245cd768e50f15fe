/** A signing key (ES256): how the keyring object creates it, and how the Worker uses it. */
import type { Revocations } from '../../src/ports/revocations.ts'
import type { PublicSigningKey } from '../../src/ports/signing-keys.ts'

const ES256 = { name: 'ECDSA', namedCurve: 'P-256' } as const

/** @see https://www.rfc-editor.org/rfc/rfc7518#section-6.2 */
export interface PrivateJwk extends Pick<PublicSigningKey, 'kty' | 'crv' | 'x' | 'y'> {
  /** The private part. */
  readonly d: string
}

/** A key as the keyring object returns it. Times are epoch milliseconds. */
export interface KeyringSigningKey {
  readonly id: string
  readonly jwk: PrivateJwk
  readonly usedFrom: number
  /** Undefined until the key has a successor. */
  readonly acceptedUntil: number | undefined
  /** With the newest key, when anything was revoked. Part of a key, so that isolates read both with one call. */
  readonly revocations?: Revocations
}

export async function createPrivateJwk(): Promise<PrivateJwk> {
  const pair = await crypto.subtle.generateKey(ES256, true, ['sign', 'verify'])
  if (!('privateKey' in pair)) throw new Error('generateKey returned no key pair')
  const exported = await crypto.subtle.exportKey('jwk', pair.privateKey)
  if (exported instanceof ArrayBuffer) throw new Error('exportKey returned no JWK')
  const { x, y, d } = exported
  if (x === undefined || y === undefined || d === undefined) {
    throw new Error('exportKey returned an incomplete JWK')
  }
  return { kty: 'EC', crv: 'P-256', x, y, d }
}

export class SigningKey {
  readonly id: string
  readonly usedFrom: number
  readonly acceptedUntil: number
  readonly revocations: Revocations | undefined
  readonly #jwk: PrivateJwk
  /** Keys, not promises: a promise belongs to the request that created it. */
  #private: CryptoKey | undefined
  #public: CryptoKey | undefined

  constructor({ id, jwk, usedFrom, acceptedUntil = Infinity, revocations }: KeyringSigningKey) {
    this.id = id
    this.usedFrom = usedFrom
    this.acceptedUntil = acceptedUntil
    this.revocations = revocations
    this.#jwk = jwk
  }

  /** Lists its members one by one, so that the private part cannot be included by mistake. */
  get published(): PublicSigningKey {
    const { x, y } = this.#jwk
    return { kid: this.id, alg: 'ES256', use: 'sig', kty: 'EC', crv: 'P-256', x, y }
  }

  async forSigning(): Promise<CryptoKey> {
    this.#private ??= await crypto.subtle.importKey('jwk', { ...this.#jwk }, ES256, false, ['sign'])
    return this.#private
  }

  async forVerifying(): Promise<CryptoKey> {
    const { kty, crv, x, y } = this.#jwk
    const jwk = { kty, crv, x, y }
    this.#public ??= await crypto.subtle.importKey('jwk', jwk, ES256, true, ['verify'])
    return this.#public
  }
}
