/**
 * FNV-1a, a fast hash for spreading keys, and short keys from it that are equal for equal texts. None resists attacks:
 * see each use for why that is enough.
 */

const OFFSET_BASIS = 0x811c9dc5
const PRIME = 0x01000193

/**
 * Returns a 32-bit hash over the UTF-16 code units of a text.
 *
 * @see https://datatracker.ietf.org/doc/html/draft-eastlake-fnv
 */
export function fnv1a(text: string, offsetBasis = OFFSET_BASIS): number {
  let hash = offsetBasis
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), PRIME)
  }
  return hash >>> 0
}

/** A short fingerprint that distinguishes texts. */
const SECOND_OFFSET_BASIS = 0x01000193

/** Distinguishes texts by 16 characters: two hashes of 32 bits. They prevent accidental collisions, not attacks. */
export function fingerprint(text: string): string {
  return hex(fnv1a(text), 8) + hex(fnv1a(text, SECOND_OFFSET_BASIS), 8)
}

/** Short keys that are equal for equal texts. They do not resist attacks: see each use for why that is enough. */
const OTHER_BASIS = 0x9dc5811c
const SHORT_BITS = 16

/** 64 bits as 16 hexadecimal digits, for a text that cannot be guessed. */
export function hashKey(text: string): string {
  return hex(fnv1a(text), 8) + hex(fnv1a(text, OTHER_BASIS), 8)
}

/** 16 bits as 4 hexadecimal digits: many texts have the same key, so the key does not tell which one it was. */
export function ambiguousKey(text: string): string {
  const hash = fnv1a(text)
  return hex((hash >>> SHORT_BITS) ^ (hash & 0xffff), 4)
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0')
}
