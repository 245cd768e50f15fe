import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeBase64Url, encodeBase64Url } from '../../src/platform/base64.ts'

describe('decodeBase64Url', () => {
  it.each([
    ['', []],
    ['AA', [0]],
    ['-_8', [0xfb, 0xff]],
    ['AQID', [1, 2, 3]],
  ])('decodes %j', (text, bytes) => {
    expect(decodeBase64Url(text)).toEqual(new Uint8Array(bytes))
  })

  it.each([
    ['one character too many', 'A'],
    ['non-zero trailing bits', 'AB'],
    ['non-zero trailing bits after two bytes', 'AAB'],
    ['padding', 'AA=='],
    ['the standard alphabet', '+/8'],
    ['white space', 'AQ ID'],
    ['a final newline', 'AQID\n'],
    ['a character beyond ASCII', 'AQIé'],
  ])('rejects %s', (_, text) => {
    expect(decodeBase64Url(text)).toBeUndefined()
  })

  it('decodes exactly one text per value, the encoded one', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(decodeBase64Url(encodeBase64Url(bytes))).toEqual(bytes)
      }),
    )
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'AQgwEB-_9z'), maxLength: 9 }), (text) => {
        const bytes = decodeBase64Url(text)
        if (bytes !== undefined) expect(encodeBase64Url(bytes)).toBe(text)
      }),
    )
  })
})
