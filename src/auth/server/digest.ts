/** Digests as text. */
import { encodeBase64 } from '../../protocol/base64.ts'

export async function sha256Base64Url(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return base64Url(new Uint8Array(digest))
}

export function base64Url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/** 256 random bits. */
export function randomToken(): string {
  return base64Url(crypto.getRandomValues(new Uint8Array(32)))
}
