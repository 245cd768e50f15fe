/** A key as the Worker holds it: one secret, an AES key per purpose, and the time it is good for. */
import type { SealPurpose } from '../../src/ports/sealer.ts'

/** A key as the object hands it out. Times are epoch ms. */
export interface KeyringKey {
  readonly id: string
  readonly secret: Uint8Array
  readonly usedFrom: number
  /** Undefined until a successor is known. */
  readonly acceptedUntil: number | undefined
}

export class SealKey {
  readonly id: string
  readonly usedFrom: number
  readonly acceptedUntil: number
  readonly #secret: Uint8Array
  /** As many as there are purposes, at most. Keys and not promises: those belong to a request. */
  readonly #derived = new Map<SealPurpose, CryptoKey>()

  constructor({ id, secret, usedFrom, acceptedUntil = Infinity }: KeyringKey) {
    this.id = id
    this.usedFrom = usedFrom
    this.acceptedUntil = acceptedUntil
    this.#secret = secret
  }

  async forPurpose(purpose: SealPurpose): Promise<CryptoKey> {
    const known = this.#derived.get(purpose)
    if (known !== undefined) return known
    const derived = await crypto.subtle.deriveKey(
      hkdf(purpose),
      await crypto.subtle.importKey('raw', this.#secret, 'HKDF', false, ['deriveKey']),
      { name: 'AES-GCM', length: 256 },
      false,
      ['encrypt', 'decrypt'],
    )
    this.#derived.set(purpose, derived)
    return derived
  }
}

/** The newest key that is in use. @param keys oldest first */
export function sealingKey(keys: readonly SealKey[], now: number): SealKey {
  // A clock behind the object's may find none in use yet; the first is what everybody knows.
  const key = keys.findLast(({ usedFrom }) => usedFrom <= now) ?? keys[0]
  if (key === undefined) throw new Error('The keyring holds no key')
  return key
}

export function openingKey(keys: readonly SealKey[], id: string, now: number): SealKey | undefined {
  return keys.find((key) => key.id === id && now < key.acceptedUntil)
}

/** The secrets are uniform or long, so no salt is needed. @see https://www.rfc-editor.org/rfc/rfc5869#section-3.1 */
export function hkdf(info: string): SubtleCryptoDeriveKeyAlgorithm {
  return {
    name: 'HKDF',
    hash: 'SHA-256',
    salt: new Uint8Array(),
    info: new TextEncoder().encode(info),
  }
}
