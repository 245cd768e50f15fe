/**
 * The key that encrypts the props of a grant. It is stored only wrapped under keys derived from the
 * grant's secrets, of which only digests are stored: reading the storage reveals no props.
 */
import { decodeBase64Url, encodeBase64Url } from '../../src/platform/base64.ts'
import { decrypt, deriveKey, encrypt, IV_BYTES, randomBytes } from '../aes-gcm.ts'
import type { Secret } from './grant-secrets.ts'

const KEY_BYTES = 32

export interface GrantKey {
  /** Base64url. Sealed into issued tokens. */
  readonly text: string
  readonly bytes: Uint8Array
}

export function createGrantKey(): GrantKey {
  return keyOf(randomBytes(KEY_BYTES))
}

/** Undefined when the text is not the base64url form of 32 bytes. */
export function readGrantKey(text: string): GrantKey | undefined {
  const bytes = decodeBase64Url(text)
  return bytes?.length === KEY_BYTES ? { bytes, text } : undefined
}

/** Encrypts the key under a secret. The grant id is authenticated, so wrapped keys cannot be swapped between rows. */
export async function wrapGrantKey(
  { bytes }: GrantKey,
  secret: Secret,
  grantId: string,
): Promise<ArrayBuffer> {
  return (await encrypt(await wrappingKey(secret), bytes, grantId)).buffer
}

/** @throws {Error} when the secret is not the one the key was wrapped under; callers compare its digest first */
export async function unwrapGrantKey(
  wrapped: ArrayBuffer,
  secret: Secret,
  grantId: string,
): Promise<GrantKey> {
  const bytes = await decrypt(await wrappingKey(secret), new Uint8Array(wrapped), grantId)
  if (bytes === undefined) throw new Error('The grant key is wrapped under another secret')
  return keyOf(bytes)
}

/**
 * Encrypts the props of a grant.
 *
 * @param props JSON text. Absent props are encrypted too, as empty text, so that decrypting proves
 *   possession of the key.
 */
export async function encryptProps(
  props: string | undefined,
  key: GrantKey,
  grantId: string,
): Promise<ArrayBuffer> {
  const plaintext = new TextEncoder().encode(props ?? '')
  return (await encrypt(await propsKey(key), plaintext, grantId)).buffer
}

/** Differs after each encryption: its IV. */
export function propsVersion(encrypted: ArrayBuffer): string {
  return encodeBase64Url(new Uint8Array(encrypted, 0, IV_BYTES))
}

export interface DecryptedProps {
  /** Undefined for a grant without props. */
  readonly json: string | undefined
}

/** Undefined when the key is not the grant's. */
export async function decryptProps(
  encrypted: ArrayBuffer,
  key: GrantKey,
  grantId: string,
): Promise<DecryptedProps | undefined> {
  const plaintext = await decrypt(await propsKey(key), new Uint8Array(encrypted), grantId)
  if (plaintext === undefined) return undefined
  const json = new TextDecoder().decode(plaintext)
  return { json: json === '' ? undefined : json }
}

function keyOf(bytes: Uint8Array): GrantKey {
  return { bytes, text: encodeBase64Url(bytes) }
}

function propsKey({ bytes }: GrantKey): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt'])
}

function wrappingKey({ bytes }: Secret): Promise<CryptoKey> {
  return deriveKey(bytes, 'grant-key')
}
