/** The text form of a seal: fixed positions and limits. */
import { describe, expect, it } from 'vitest'
import {
  formatSealed,
  MAX_PLAINTEXT_BYTES,
  MAX_SEALED_LENGTH,
  splitSealed,
} from '../../../durable-objects/keyring/sealed-text.ts'

describe('the text of a seal', () => {
  const least = formatSealed('1', 'abcd-_12', new Uint8Array(28))

  it('has its parts at fixed positions', () => {
    expect(least).toBe(`1abcd-_12.${'A'.repeat(38)}`)
    expect(splitSealed(least)).toEqual({
      version: '1',
      keyId: 'abcd-_12',
      body: 'A'.repeat(38),
    })
  })

  it('fits the largest plaintext exactly', () => {
    const largest = formatSealed('1', 'abcd-_12', new Uint8Array(MAX_PLAINTEXT_BYTES + 28))
    expect(largest.length).toBeLessThanOrEqual(MAX_SEALED_LENGTH)
    expect(splitSealed(largest)).toBeDefined()
    const larger = formatSealed('1', 'abcd-_12', new Uint8Array(MAX_PLAINTEXT_BYTES + 29))
    expect(splitSealed(larger)).toBeUndefined()
  })

  it.each([
    ['empty text', ''],
    ['the version 0, which does not exist', `0${least.slice(1)}`],
    ['a version that is no digit of base 36', `A${least.slice(1)}`],
    ['a missing dot', least.replace('.', 'A')],
    ['a dot at another position', `1abcd-_1.2${'A'.repeat(38)}`],
    ['a body without room for a tag', least.slice(0, -1)],
  ])('is not parsed from %s', (_, text) => {
    expect(splitSealed(text)).toBeUndefined()
  })
})
