/**
 * Props that replace those of a grant whose key is not at hand: only its tokens carry the key. The new
 * props are encrypted to the public key of the grant. The private key derives from the grant key, so
 * neither the storage nor the writer can decrypt them.
 */

import { decodeBase64Url, encodeBase64Url } from '../../src/platform/base64.ts'
import { joinBytes } from '../../src/platform/join-bytes.ts'
import { decrypt, deriveBytes, deriveKey, encrypt } from '../aes-gcm.ts'
import {
  createGrantKey,
  type DecryptedProps,
  decryptProps,
  type GrantKey,
  propsVersion,
} from './grant-key.ts'

/** The columns of a row with props. */
export type PropsColumns = {
  id: string
  /** Encrypted with the grant key. */
  props: ArrayBuffer
  /** The X25519 key that new props are encrypted to; null when the props are never replaced without the grant key. */
  public_key: ArrayBuffer | null
  /** Encrypted to the public key: they replace `props`, unless those have changed since. */
  renewed_props: ArrayBuffer | null
}

const X25519 = { name: 'X25519' }
const KEY_BYTES = 32

/** The bytes in front of a private key of X25519 in its PKCS#8 form. @see https://www.rfc-editor.org/rfc/rfc8410#section-7 */
const PKCS8_PREFIX = Uint8Array.of(48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 110, 4, 34, 4, 32)

export async function publicKeyOf(key: GrantKey): Promise<ArrayBuffer> {
  const jwk = await crypto.subtle.exportKey('jwk', await privateKeyOf(key))
  const bytes = 'x' in jwk ? decodeBase64Url(jwk.x ?? '') : undefined
  if (bytes === undefined) throw new Error('exportKey returned no public key')
  return bytes.slice().buffer
}

/** Encrypts props that replace those of a row. @throws {TypeError} for a row without a public key */
export async function encryptRenewed(json: string, row: PropsColumns): Promise<ArrayBuffer> {
  if (row.public_key === null) throw new TypeError('The row has no public key')
  const ephemeral = createGrantKey()
  const sender = new Uint8Array(await publicKeyOf(ephemeral))
  const recipient = await crypto.subtle.importKey('raw', row.public_key, X25519, false, [])
  const key = await sharedKey(await privateKeyOf(ephemeral), recipient, sender)
  const encrypted = await encrypt(key, new TextEncoder().encode(json), contextOf(row))
  return joinBytes([sender, encrypted]).buffer
}

/** The present props of a row; undefined when the key is not that of the row. */
export async function openProps(
  row: PropsColumns,
  key: GrantKey,
): Promise<DecryptedProps | undefined> {
  const own = await decryptProps(row.props, key, row.id)
  if (own === undefined || row.renewed_props === null) return own
  const bytes = new Uint8Array(row.renewed_props)
  const sender = bytes.slice(0, KEY_BYTES)
  const senderKey = await crypto.subtle.importKey('raw', sender, X25519, false, [])
  const shared = await sharedKey(await privateKeyOf(key), senderKey, sender)
  // Undefined where `props` have changed since: these replace only those that they were written for.
  const json = await decrypt(shared, bytes.subarray(KEY_BYTES), contextOf(row))
  return json === undefined ? own : { json: new TextDecoder().decode(json) }
}

/** Differs after each write of the props, in either form. Both begin with random bytes. */
export function versionOfProps({ props, renewed_props }: PropsColumns): string {
  return propsVersion(renewed_props ?? props)
}

function contextOf({ id, props }: PropsColumns): string {
  return `${id} ${propsVersion(props)}`
}

async function privateKeyOf({ bytes }: GrantKey): Promise<CryptoKey> {
  const seed = await deriveBytes(bytes, 'renewed-props', KEY_BYTES)
  return crypto.subtle.importKey('pkcs8', joinBytes([PKCS8_PREFIX, seed]), X25519, true, [
    'deriveBits',
  ])
}

/** The sender's key is new for each encryption, and is bound to it. */
async function sharedKey(
  privateKey: CryptoKey,
  publicKey: CryptoKey,
  sender: Uint8Array,
): Promise<CryptoKey> {
  const algorithm = { name: X25519.name, public: publicKey } as SubtleCryptoDeriveKeyAlgorithm
  const secret = await crypto.subtle.deriveBits(algorithm, privateKey, KEY_BYTES * 8)
  return deriveKey(new Uint8Array(secret), `renewed-props ${encodeBase64Url(sender)}`)
}
