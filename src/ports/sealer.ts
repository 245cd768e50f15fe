/** Seals bytes into text that only this deployment can create and read. */
import { decodeUtf8 } from '../platform/utf8.ts'

/**
 * What is sealed, with the version of its format: one digit of base 36, which is also the first
 * character of the text. A new format is another purpose, which is added here; the reader opens both
 * while seals of the old one live (`docs/reference/formats.md`). Each purpose has its
 * own key, so a seal of one purpose never opens for another.
 */
export const SEAL_PURPOSES = [
  'auth-code/1',
  'client-id/1',
  'connect/1',
  'connection/1',
  'consent-form/1',
  'event-id/1',
  'event-secret/1',
  'file-handle/1',
  'file-url/1',
  'file-url/2',
  'file/1',
  'grant-key/1',
  'known-device/1',
  'page-cursor/1',
  'personal-token/1',
  'refresh-token/1',
  'request-state/1',
  'run-caller/1',
  'session-id/1',
  'sign-in/1',
  'sign-in-state/1',
  'state-handle/1',
  'task/1',
  'upload/1',
  'upload/2',
  'webhook/1',
] as const

export type SealPurpose = (typeof SEAL_PURPOSES)[number]

export interface SealOptions {
  /**
   * Seals equal bytes as equal text while the key is the same. Two such seals reveal whether they are
   * equal, and a guess of the content can be verified. Only for content with 256 random bits.
   * Default false.
   */
  readonly deterministic?: boolean
}

export interface Sealer {
  /**
   * Encrypts and authenticates bytes (AES-256-GCM) as URL-safe text.
   *
   * @param context bound to the seal; the same text is needed to open it
   * @throws {RangeError} for more than 147,420 bytes
   * @throws {Error} when the deployment has no keys
   */
  seal(
    purpose: SealPurpose,
    plaintext: Uint8Array,
    context: string,
    options?: SealOptions,
  ): Promise<string>

  /**
   * Returns the bytes of a seal; undefined for text that this deployment did not seal for this
   * purpose and context. A forged seal causes no call of a Durable Object, and neither does one of
   * another version, which is rejected before anything is decrypted.
   *
   * @throws {Error} when the deployment has no keys
   */
  open(purpose: SealPurpose, sealed: string, context: string): Promise<Uint8Array | undefined>

  /**
   * Marks a name as used. Returns true for the first call in the whole deployment, and false for
   * every later one and after `expiresAt`.
   *
   * @param name a random name from an opened seal, never text of a request; 1 to 256 characters
   * @param expiresAt epoch milliseconds; the name is deleted afterwards
   * @throws {TypeError} for an invalid name or time
   */
  redeem(name: string, expiresAt: number): Promise<boolean>
}

/** Longest seal of a few texts, in UTF-16 code units. */
const MAX_LENGTH = 1024

/** Seals JSON that names an object or a file: a forged seal names none, so it is refused without a call of an object. */
export function sealJson(
  sealer: Sealer,
  purpose: SealPurpose,
  content: object,
  context: string,
  options?: SealOptions,
): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(content))
  return sealer.seal(purpose, bytes, context, options)
}

/** @param maxLength of a seal of ours: a longer text is not decrypted */
export async function openJson<T>(
  sealer: Sealer,
  purpose: SealPurpose,
  sealed: string,
  context: string,
  maxLength = MAX_LENGTH,
): Promise<T | undefined> {
  if (sealed.length > maxLength) return undefined
  const bytes = await sealer.open(purpose, sealed, context)
  // Only this deployment can have written it.
  return bytes && (JSON.parse(decodeUtf8(bytes)) as T)
}
