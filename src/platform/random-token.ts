/** Random names that cannot be guessed. */
import { encodeBase64Url } from './base64.ts'

/** Returns 128 random bits in hexadecimal: none contains a wildcard of a LIKE pattern, or a separator. */
export function randomId(): string {
  return crypto.randomUUID().replaceAll('-', '')
}

/** Returns random bytes as base64url. Default: 256 bits, 43 characters. */
export function randomToken(bytes = 32): string {
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(bytes)))
}
