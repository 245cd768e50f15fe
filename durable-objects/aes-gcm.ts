/** AES-256-GCM with keys derived by HKDF-SHA-256: the encryption of seals and of grant props. */
import { joinBytes } from '../src/platform/join-bytes.ts'
import { encodeUtf8 } from '../src/platform/utf8.ts'

export const IV_BYTES = 12
export const TAG_BYTES = 16

export function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(length))
}

/** Derives one AES key per `info` from a secret. */
export async function deriveKey(secret: Uint8Array, info: string): Promise<CryptoKey> {
  const base = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveKey'])
  const algorithm = { name: 'AES-GCM', length: 256 }
  return crypto.subtle.deriveKey(hkdf(info), base, algorithm, false, ['encrypt', 'decrypt'])
}

/** Derives bytes that identify a secret without revealing it. */
export async function deriveBytes(
  secret: Uint8Array,
  info: string,
  length: number,
): Promise<Uint8Array> {
  const base = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits'])
  return new Uint8Array(await crypto.subtle.deriveBits(hkdf(info), base, length * 8))
}

/** The secrets are random or long, so no salt is needed. @see https://www.rfc-editor.org/rfc/rfc5869#section-3.1 */
function hkdf(info: string): SubtleCryptoDeriveKeyAlgorithm {
  const salt = new Uint8Array()
  return { name: 'HKDF', hash: 'SHA-256', salt, info: encodeUtf8(info) }
}

/**
 * Encrypts and authenticates. Returns the IV, followed by the ciphertext with its tag.
 *
 * @param context additional authenticated data; the same text is needed to decrypt
 */
export async function encrypt(
  key: CryptoKey,
  plaintext: Uint8Array,
  context: string,
  iv: Uint8Array = randomBytes(IV_BYTES),
): Promise<Uint8Array<ArrayBuffer>> {
  const ciphertext = await crypto.subtle.encrypt(parameters(iv, context), key, plaintext)
  return joinBytes([iv, new Uint8Array(ciphertext)])
}

/** Undefined when the tag does not match: forged, or encrypted under another key or context. */
export async function decrypt(
  key: CryptoKey,
  bytes: Uint8Array,
  context: string,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const algorithm = parameters(bytes.subarray(0, IV_BYTES), context)
  try {
    const ciphertext = bytes.subarray(IV_BYTES)
    return new Uint8Array(await crypto.subtle.decrypt(algorithm, key, ciphertext))
  } catch {
    // The tag is the only cause of a failure here: key and algorithm are always valid.
    return undefined
  }
}

function parameters(iv: Uint8Array, context: string): SubtleCryptoEncryptAlgorithm {
  return { name: 'AES-GCM', iv, additionalData: encodeUtf8(context) }
}
