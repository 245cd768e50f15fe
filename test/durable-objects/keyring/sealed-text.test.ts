/** The text of a seal: one spelling, fixed places, bounds. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  decodeBase64UrlBytes,
  encodeBase64UrlBytes,
  formatSealed,
  MAX_PLAINTEXT_BYTES,
  MAX_SEALED_LENGTH,
  splitSealed,
} from '../../../durable-objects/keyring/sealed-text.ts'

describe('base64url', () => {
  it.each([
    ['', []],
    ['AA', [0]],
    ['-_8', [0xfb, 0xff]],
    ['AQID', [1, 2, 3]],
  ])('reads %j', (text, bytes) => {
    expect(decodeBase64UrlBytes(text)).toEqual(new Uint8Array(bytes))
  })

  it.each([
    ['one character over', 'A'],
    ['bits that belong to no byte', 'AB'],
    ['bits that belong to no byte, of two', 'AAB'],
    ['padding', 'AA=='],
    ['the standard alphabet', '+/8'],
    ['white space', 'AQ ID'],
    ['a newline at the end', 'AQID\n'],
    ['a character beyond ASCII', 'AQIé'],
  ])('refuses %s', (_, text) => {
    expect(decodeBase64UrlBytes(text)).toBeUndefined()
  })

  it('gives every value one spelling and reads it back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(decodeBase64UrlBytes(encodeBase64UrlBytes(bytes))).toEqual(bytes)
      }),
    )
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'AQgwEB-_9z'), maxLength: 9 }), (text) => {
        const bytes = decodeBase64UrlBytes(text)
        if (bytes !== undefined) expect(encodeBase64UrlBytes(bytes)).toBe(text)
      }),
    )
  })
})

describe('the parts', () => {
  const least = formatSealed('abcd-_12', new Uint8Array(28))

  it('stand at fixed places', () => {
    expect(least).toBe(`1abcd-_12.${'A'.repeat(38)}`)
    expect(splitSealed(least)).toEqual({ keyId: 'abcd-_12', body: 'A'.repeat(38) })
  })

  it('fit the largest plaintext exactly', () => {
    const largest = formatSealed('abcd-_12', new Uint8Array(MAX_PLAINTEXT_BYTES + 28))
    expect(largest.length).toBeLessThanOrEqual(MAX_SEALED_LENGTH)
    expect(splitSealed(largest)).toBeDefined()
    const larger = formatSealed('abcd-_12', new Uint8Array(MAX_PLAINTEXT_BYTES + 29))
    expect(splitSealed(larger)).toBeUndefined()
  })

  it.each([
    ['nothing', ''],
    ['another version', `2${least.slice(1)}`],
    ['a missing dot', least.replace('.', 'A')],
    ['a dot elsewhere', `1abcd-_1.2${'A'.repeat(38)}`],
    ['a body without room for a tag', least.slice(0, -1)],
  ])('refuses %s', (_, text) => {
    expect(splitSealed(text)).toBeUndefined()
  })
})
