/**
 * The secrets of a grant: the authorization code, and the family of its refresh tokens. Each refresh
 * token is derived from the one before it, and carries its generation and a MAC of the family. A
 * token that was rotated long ago is recognised, although nothing of it is stored.
 */

import { decodeBase64Url, encodeBase64Url } from '../../src/platform/base64.ts'
import { sha256Base64Url } from '../../src/platform/digest.ts'
import { joinBytes } from '../../src/platform/join-bytes.ts'

export const SECRET_BYTES = 32
const GENERATION_BYTES = 4
const MAC_BYTES = 32
const CLAIM_BYTES = GENERATION_BYTES + SECRET_BYTES

/** A secret and its digest. Only the digest is stored. */
export interface Secret {
  readonly bytes: Uint8Array
  /** SHA-256 in base64url. */
  readonly digest: string
}

export interface RefreshSecret extends Secret {
  /** Number of rotations since the code was redeemed. */
  readonly generation: number
  /** Base64url of generation (uint32), secret and MAC. The client holds it inside its refresh token. */
  readonly text: string
}

/** Undefined when the text is not the base64url form of 32 bytes. */
export async function readCodeSecret(text: string): Promise<Secret | undefined> {
  const bytes = decodeBase64Url(text)
  if (bytes?.length !== SECRET_BYTES) return undefined
  return { bytes, digest: await sha256Base64Url(bytes) }
}

/**
 * The refresh tokens of one grant. The family's key authenticates them and derives the successor of
 * a given token, but cannot create a token from the stored digests: it may be stored beside them.
 */
export class RefreshTokenFamily {
  readonly #key: CryptoKey

  private constructor(key: CryptoKey) {
    this.#key = key
  }

  static async open(familyKey: ArrayBuffer): Promise<RefreshTokenFamily> {
    const algorithm = { name: 'HMAC', hash: 'SHA-256' }
    const key = await crypto.subtle.importKey('raw', familyKey, algorithm, false, [
      'sign',
      'verify',
    ])
    return new RefreshTokenFamily(key)
  }

  /** The token of generation 0, issued for the code. */
  async first(code: Secret): Promise<RefreshSecret> {
    return this.#format(0, await this.#mac('first', code.bytes))
  }

  async successor({ generation, bytes }: RefreshSecret): Promise<RefreshSecret> {
    return this.#format(generation + 1, await this.#mac('successor', bytes))
  }

  /** Undefined when the text is not a token of this family. */
  async read(text: string): Promise<RefreshSecret | undefined> {
    const whole = decodeBase64Url(text)
    if (whole?.length !== CLAIM_BYTES + MAC_BYTES) return undefined
    const claim = whole.subarray(0, CLAIM_BYTES)
    const mac = whole.subarray(CLAIM_BYTES)
    if (!(await crypto.subtle.verify('HMAC', this.#key, mac, labelled('member', claim)))) {
      return undefined
    }
    const bytes = claim.subarray(GENERATION_BYTES)
    const generation = new DataView(claim.buffer, claim.byteOffset).getUint32(0)
    return { generation, bytes, digest: await sha256Base64Url(bytes), text }
  }

  async #format(generation: number, bytes: Uint8Array): Promise<RefreshSecret> {
    const prefix = new Uint8Array(GENERATION_BYTES)
    new DataView(prefix.buffer).setUint32(0, generation)
    const claim = joinBytes([prefix, bytes])
    const whole = joinBytes([claim, await this.#mac('member', claim)])
    return { generation, bytes, digest: await sha256Base64Url(bytes), text: encodeBase64Url(whole) }
  }

  async #mac(label: string, bytes: Uint8Array): Promise<Uint8Array> {
    return new Uint8Array(await crypto.subtle.sign('HMAC', this.#key, labelled(label, bytes)))
  }
}

/** Separates the uses of the family's key. */
function labelled(label: string, bytes: Uint8Array): Uint8Array {
  return joinBytes([new TextEncoder().encode(`${label}:`), bytes])
}
