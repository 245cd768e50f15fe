/**
 * The text form of a seal: `<version><key id>.<base64url>`. Formatting and parsing are strict: every
 * seal has one text, and every text at most one meaning.
 */
import { encodeBase64Url } from '../../src/platform/base64.ts'
import { IV_BYTES, TAG_BYTES } from '../aes-gcm.ts'

export const SEAL_VERSION = '1'
export const KEY_ID_LENGTH = 8

/** Longer text is refused without being parsed. */
export const MAX_SEALED_LENGTH = 192 * 1024

const BODY_AT = SEAL_VERSION.length + KEY_ID_LENGTH + 1
const MIN_BODY_LENGTH = encodedLength(IV_BYTES + TAG_BYTES)

export const MAX_PLAINTEXT_BYTES =
  Math.floor(((MAX_SEALED_LENGTH - BODY_AT) * 3) / 4) - IV_BYTES - TAG_BYTES

export interface SealedText {
  readonly keyId: string
  /** Base64url, not decoded yet. */
  readonly body: string
}

export function formatSealed(keyId: string, bytes: Uint8Array): string {
  return `${SEAL_VERSION}${keyId}.${encodeBase64Url(bytes)}`
}

/** Splits the text at fixed positions, so that invalid text of any length costs no more than this. */
export function splitSealed(text: string): SealedText | undefined {
  if (text.length > MAX_SEALED_LENGTH || text.length < BODY_AT + MIN_BODY_LENGTH) return undefined
  if (!text.startsWith(SEAL_VERSION) || text[BODY_AT - 1] !== '.') return undefined
  return { keyId: text.slice(SEAL_VERSION.length, BODY_AT - 1), body: text.slice(BODY_AT) }
}

function encodedLength(bytes: number): number {
  return Math.ceil((bytes * 4) / 3)
}
