/** Comparison of secrets. */
import { sha256 } from './digest.ts'

/** Compares in constant time, also texts of different lengths. */
export async function isSameText(text: string, expected: string): Promise<boolean> {
  return crypto.subtle.timingSafeEqual(await sha256(text), await sha256(expected))
}
