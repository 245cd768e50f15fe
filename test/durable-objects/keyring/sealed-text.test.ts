/** The text of a seal: one spelling, fixed places, bounds. */
import { describe, expect, it } from 'vitest'
import {
  formatSealed,
  MAX_PLAINTEXT_BYTES,
  MAX_SEALED_LENGTH,
  splitSealed,
} from '../../../durable-objects/keyring/sealed-text.ts'

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
