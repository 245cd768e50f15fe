/**
 * The secrets of a grant: its code's, and the family of its refresh tokens. Each secret is made of the
 * one before it, and each says which generation it is and proves to be one of the family: so a
 * secret that was spent long ago is known again though nothing of it was kept.
 */
import { decodeBase64Url, encodeBase64Url } from '../../src/protocol/base64.ts'
import { digestOf } from './digest.ts'

export const SECRET_BYTES = 32
const GENERATION_BYTES = 4
const PROOF_BYTES = 32

/** A secret with its hash, which is all that is kept of it. */
export interface Secret {
  readonly bytes: Uint8Array
  readonly hash: string
}

export interface RefreshSecret extends Secret {
  readonly generation: number
  /** What the client holds. */
  readonly text: string
}

export const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length))

/** Undefined for what no secret looks like. */
export async function readCodeSecret(text: string): Promise<Secret | undefined> {
  const bytes = decodeBase64Url(text)
  if (bytes?.length !== SECRET_BYTES) return undefined
  return { bytes, hash: await digestOf(bytes) }
}

/**
 * Whoever has the family's key can tell its secrets from others and make the next of one that they
 * hold, but cannot make one out of nothing: the key may lie in storage beside the hashes.
 */
export class SecretFamily {
  readonly #key: CryptoKey

  private constructor(key: CryptoKey) {
    this.#key = key
  }

  static async open(familyKey: ArrayBuffer): Promise<SecretFamily> {
    const algorithm = { name: 'HMAC', hash: 'SHA-256' }
    const uses = ['sign', 'verify']
    return new SecretFamily(await crypto.subtle.importKey('raw', familyKey, algorithm, false, uses))
  }

  /** The refresh secret that a code is exchanged for. */
  async first({ bytes }: Secret): Promise<RefreshSecret> {
    return this.#format(0, await this.#sign('first', bytes))
  }

  async successor({ generation, bytes }: RefreshSecret): Promise<RefreshSecret> {
    return this.#format(generation + 1, await this.#sign('successor', bytes))
  }

  /** Undefined for anything that was never a secret of this family. */
  async read(text: string): Promise<RefreshSecret | undefined> {
    const whole = decodeBase64Url(text)
    if (whole?.length !== GENERATION_BYTES + SECRET_BYTES + PROOF_BYTES) return undefined
    const claim = whole.subarray(0, GENERATION_BYTES + SECRET_BYTES)
    const proof = whole.subarray(GENERATION_BYTES + SECRET_BYTES)
    if (!(await crypto.subtle.verify('HMAC', this.#key, proof, labelled('member', claim)))) {
      return undefined
    }
    const bytes = claim.subarray(GENERATION_BYTES)
    const generation = new DataView(claim.buffer, claim.byteOffset).getUint32(0)
    return { generation, bytes, hash: await digestOf(bytes), text }
  }

  async #format(generation: number, bytes: Uint8Array): Promise<RefreshSecret> {
    const claim = new Uint8Array(GENERATION_BYTES + SECRET_BYTES)
    new DataView(claim.buffer).setUint32(0, generation)
    claim.set(bytes, GENERATION_BYTES)
    const whole = new Uint8Array(claim.length + PROOF_BYTES)
    whole.set(claim)
    whole.set(await this.#sign('member', claim), claim.length)
    return { generation, bytes, hash: await digestOf(bytes), text: encodeBase64Url(whole) }
  }

  async #sign(label: string, bytes: Uint8Array): Promise<Uint8Array> {
    return new Uint8Array(await crypto.subtle.sign('HMAC', this.#key, labelled(label, bytes)))
  }
}

/** Keeps the uses of the one key apart. */
function labelled(label: string, bytes: Uint8Array): Uint8Array {
  const prefix = new TextEncoder().encode(`${label}:`)
  const whole = new Uint8Array(prefix.length + bytes.length)
  whole.set(prefix)
  whole.set(bytes, prefix.length)
  return whole
}
