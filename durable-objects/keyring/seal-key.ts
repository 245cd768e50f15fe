/** A sealing key in the Worker: one secret, from which each purpose derives its own AES key. */
import type { SealPurpose } from '../../src/ports/sealer.ts'
import { deriveKey } from '../aes-gcm.ts'
import { keyInUse } from './rotation.ts'

/** A key as the keyring object returns it. Times are epoch milliseconds. */
export interface KeyringKey {
  readonly id: string
  readonly secret: Uint8Array
  readonly usedFrom: number
  /** Undefined until the key has a successor. */
  readonly acceptedUntil: number | undefined
}

export class SealKey {
  readonly id: string
  readonly usedFrom: number
  readonly acceptedUntil: number
  readonly #secret: Uint8Array
  /** Keys, not promises: a promise belongs to the request that created it. */
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
    const derived = await deriveKey(this.#secret, purpose)
    this.#derived.set(purpose, derived)
    return derived
  }
}

/** @param keys oldest first */
export function sealingKey(keys: readonly SealKey[], now: number): SealKey {
  const key = keyInUse(keys, now)
  if (key === undefined) throw new Error('The keyring holds no key')
  return key
}

export function openingKey(keys: readonly SealKey[], id: string, now: number): SealKey | undefined {
  return keys.find((key) => key.id === id && now < key.acceptedUntil)
}
