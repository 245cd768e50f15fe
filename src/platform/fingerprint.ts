/** A short fingerprint that distinguishes texts. */
import { fnv1a } from './fnv.ts'

const SECOND_OFFSET_BASIS = 0x01000193

/** Returns 16 characters: two hashes of 32 bits. They prevent accidental collisions, not attacks. */
export function fingerprint(text: string): string {
  return [fnv1a(text), fnv1a(text, SECOND_OFFSET_BASIS)]
    .map((hash) => hash.toString(16).padStart(8, '0'))
    .join('')
}
