/**
 * The text of a seal: `<version><key id>.<base64url>`, strict in both directions. Any text has at
 * most one reading and any seal exactly one spelling.
 */
import { encodeBase64Url } from '../../src/platform/base64.ts'

export const SEAL_VERSION = '1'
export const KEY_ID_LENGTH = 8
export const IV_BYTES = 12
const TAG_BYTES = 16

/** Longer text is refused unread. */
export const MAX_SEALED_LENGTH = 192 * 1024

const BODY_AT = SEAL_VERSION.length + KEY_ID_LENGTH + 1
const MIN_BODY_LENGTH = encodedLength(IV_BYTES + TAG_BYTES)

/** The most bytes that can be sealed. */
export const MAX_PLAINTEXT_BYTES =
  Math.floor(((MAX_SEALED_LENGTH - BODY_AT) * 3) / 4) - IV_BYTES - TAG_BYTES

export interface SealedText {
  readonly keyId: string
  /** Neither decoded nor looked at yet. */
  readonly body: string
}

export function formatSealed(keyId: string, bytes: Uint8Array): string {
  return `${SEAL_VERSION}${keyId}.${encodeBase64Url(bytes)}`
}

/** Splits the text of a seal at fixed places, whatever its length: junk costs no more than this. */
export function splitSealed(text: string): SealedText | undefined {
  if (text.length > MAX_SEALED_LENGTH || text.length < BODY_AT + MIN_BODY_LENGTH) return undefined
  if (!text.startsWith(SEAL_VERSION) || text[BODY_AT - 1] !== '.') return undefined
  return { keyId: text.slice(SEAL_VERSION.length, BODY_AT - 1), body: text.slice(BODY_AT) }
}

function encodedLength(bytes: number): number {
  return Math.ceil((bytes * 4) / 3)
}
