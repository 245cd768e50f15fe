/** Short keys that are equal for equal texts. They do not resist attacks: see each use for why that is enough. */
import { fnv1a } from './fnv.ts'

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
