/** FNV-1a, a fast hash for spreading keys. It does not resist attacks. */

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
