/** A signing key as the object makes it and as the Worker holds it: ES256, a private and a public half. */
import type { PublicSigningKey } from '../../src/ports/signing-keys.ts'

const ES256 = { name: 'ECDSA', namedCurve: 'P-256' } as const

/** @see https://www.rfc-editor.org/rfc/rfc7518#section-6.2 */
export interface PrivateJwk {
  readonly kty: 'EC'
  readonly crv: 'P-256'
  readonly x: string
  readonly y: string
  /** The private part. */
  readonly d: string
}

/** A key as the object hands it out. Times are epoch ms. */
export interface KeyringSigningKey {
  readonly id: string
  readonly jwk: PrivateJwk
  readonly usedFrom: number
  /** Undefined until a successor is known. */
  readonly acceptedUntil: number | undefined
}

export async function createPrivateJwk(): Promise<PrivateJwk> {
  const pair = await crypto.subtle.generateKey(ES256, true, ['sign', 'verify'])
  if (!('privateKey' in pair)) throw new Error('The platform made no key pair')
  const exported = await crypto.subtle.exportKey('jwk', pair.privateKey)
  if (exported instanceof ArrayBuffer) throw new Error('The platform exported no JWK')
  const { x, y, d } = exported
  if (x === undefined || y === undefined || d === undefined) {
    throw new Error('The platform exported half a key')
  }
  return { kty: 'EC', crv: 'P-256', x, y, d }
}

export class SigningKey {
  readonly id: string
  readonly usedFrom: number
  readonly acceptedUntil: number
  readonly #jwk: PrivateJwk
  /** Keys and not promises: those belong to a request. */
  #private: CryptoKey | undefined
  #public: CryptoKey | undefined

  constructor({ id, jwk, usedFrom, acceptedUntil = Infinity }: KeyringSigningKey) {
    this.id = id
    this.usedFrom = usedFrom
    this.acceptedUntil = acceptedUntil
    this.#jwk = jwk
  }

  /** Named member by member, so that nothing private can slip in. */
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
