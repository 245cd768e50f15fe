import { describe, expect, it } from 'vitest'
import { utf8Length } from '../../src/platform/utf8.ts'

const encoder = new TextEncoder()

describe('utf8Length', () => {
  it.each(['', 'abc', 'ä€', '😀', '\ud800', 'a\udc00b', 'ä'.repeat(5_000), new Uint8Array(3)])(
    'counts the bytes of a text as the platform encodes it',
    (text) => {
      const expected = typeof text === 'string' ? encoder.encode(text).byteLength : 3
      expect(utf8Length(text)).toBe(expected)
    },
  )
})
