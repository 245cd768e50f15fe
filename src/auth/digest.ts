/** Digests and random names as text. */
import { encodeBase64Url } from '../protocol/base64.ts'

/** SHA-256 of the UTF-8 bytes, base64url: 43 characters. */
export async function sha256Base64Url(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return encodeBase64Url(new Uint8Array(digest))
}

/** 256 random bits. */
export function randomToken(): string {
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(32)))
}
