/**
 * The key of a grant's props. It is kept only under keys that are made of the grant's secrets, of
 * which nothing but hashes is kept: so whoever reads the storage reads no props.
 */

import { decodeBase64Url, encodeBase64Url } from '../../src/protocol/base64.ts'
import { hkdf } from '../keyring/seal-key.ts'
import { randomBytes, type Secret } from './refresh-secret.ts'

const KEY_BYTES = 32
const IV_BYTES = 12

/** A key that wraps once, and one and the same plaintext however often: it needs no other IV. */
const SINGLE_USE_IV = new Uint8Array(IV_BYTES)

export interface GrantKey {
  /** What issued tokens carry. */
  readonly text: string
  readonly bytes: Uint8Array
}

export function createGrantKey(): GrantKey {
  const bytes = randomBytes(KEY_BYTES)
  return { bytes, text: encodeBase64Url(bytes) }
}

/** Undefined for what no key looks like. */
export function readGrantKey(text: string): GrantKey | undefined {
  const bytes = decodeBase64Url(text)
  return bytes?.length === KEY_BYTES ? { bytes, text } : undefined
}

export async function wrapGrantKey(
  { bytes }: GrantKey,
  secret: Secret,
  grantId: string,
): Promise<ArrayBuffer> {
  return crypto.subtle.encrypt(aesGcm(SINGLE_USE_IV, grantId), await wrappingKey(secret), bytes)
}

/** @throws where the secret is not the one it was wrapped with: the caller has compared its hash */
export async function unwrapGrantKey(
  wrapped: ArrayBuffer,
  secret: Secret,
  grantId: string,
): Promise<GrantKey> {
  const algorithm = aesGcm(SINGLE_USE_IV, grantId)
  const bytes = new Uint8Array(
    await crypto.subtle.decrypt(algorithm, await wrappingKey(secret), wrapped),
  )
  return { bytes, text: encodeBase64Url(bytes) }
}

/** @param props JSON, or undefined for none, which is encrypted too: whoever has the key can prove it */
export async function encryptProps(
  props: string | undefined,
  key: GrantKey,
  grantId: string,
): Promise<ArrayBuffer> {
  const iv = randomBytes(IV_BYTES)
  const plaintext = new TextEncoder().encode(props ?? '')
  const ciphertext = await crypto.subtle.encrypt(
    aesGcm(iv, grantId),
    await propsKey(key),
    plaintext,
  )
  const whole = new Uint8Array(IV_BYTES + ciphertext.byteLength)
  whole.set(iv)
  whole.set(new Uint8Array(ciphertext), IV_BYTES)
  return whole.buffer
}

export type DecryptedProps = { readonly json: string | undefined }

/** Undefined where the key is not this grant's. */
export async function decryptProps(
  encrypted: ArrayBuffer,
  key: GrantKey,
  grantId: string,
): Promise<DecryptedProps | undefined> {
  const bytes = new Uint8Array(encrypted)
  const algorithm = aesGcm(bytes.subarray(0, IV_BYTES), grantId)
  const aesKey = await propsKey(key)
  try {
    const plaintext = await crypto.subtle.decrypt(algorithm, aesKey, bytes.subarray(IV_BYTES))
    const json = new TextDecoder().decode(plaintext)
    return { json: json === '' ? undefined : json }
  } catch {
    // The tag does not fit: another grant's key.
    return undefined
  }
}

function propsKey({ bytes }: GrantKey): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt'])
}

async function wrappingKey({ bytes }: Secret): Promise<CryptoKey> {
  return crypto.subtle.deriveKey(
    hkdf('grant-key'),
    await crypto.subtle.importKey('raw', bytes, 'HKDF', false, ['deriveKey']),
    { name: 'AES-GCM', length: 256 },
    false,
    ['encrypt', 'decrypt'],
  )
}

/** Bound to the grant, so that rows cannot be exchanged. */
function aesGcm(iv: Uint8Array, grantId: string): SubtleCryptoEncryptAlgorithm {
  return { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(grantId) }
}
