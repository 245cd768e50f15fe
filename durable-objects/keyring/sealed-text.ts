/**
 * The text form of a seal: `<version><key id>.<base64url>`. The version is that of the purpose, and
 * covers the content and its encryption. Formatting and parsing are strict: every seal has one text, and
 * every text at most one meaning.
 */
import { encodeBase64Url } from '../../src/platform/base64.ts'
import { IV_BYTES, TAG_BYTES } from '../aes-gcm.ts'

/** One digit of base 36. `0` is not used. */
const VERSION = /^[1-9a-z]/
const VERSION_LENGTH = 1
export const KEY_ID_LENGTH = 8

/** Longer text is refused without being parsed. */
export const MAX_SEALED_LENGTH = 192 * 1024

const BODY_AT = VERSION_LENGTH + KEY_ID_LENGTH + 1
const MIN_BODY_LENGTH = encodedLength(IV_BYTES + TAG_BYTES)

export const MAX_PLAINTEXT_BYTES =
  Math.floor(((MAX_SEALED_LENGTH - BODY_AT) * 3) / 4) - IV_BYTES - TAG_BYTES

export interface SealedText {
  readonly version: string
  readonly keyId: string
  /** Base64url, not decoded yet. */
  readonly body: string
}

export function formatSealed(version: string, keyId: string, bytes: Uint8Array): string {
  return `${version}${keyId}.${encodeBase64Url(bytes)}`
}

/** Splits the text at fixed positions, so that invalid text of any length costs no more than this. */
export function splitSealed(text: string): SealedText | undefined {
  if (text.length > MAX_SEALED_LENGTH || text.length < BODY_AT + MIN_BODY_LENGTH) return undefined
  if (!VERSION.test(text) || text[BODY_AT - 1] !== '.') return undefined
  return {
    version: text.slice(0, VERSION_LENGTH),
    keyId: text.slice(VERSION_LENGTH, BODY_AT - 1),
    body: text.slice(BODY_AT),
  }
}

function encodedLength(bytes: number): number {
  return Math.ceil((bytes * 4) / 3)
}
