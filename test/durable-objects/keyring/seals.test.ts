/** Seals and redeemed names, with the keys of the keyring and with those of a secret. */
import { describe, expect, it } from 'vitest'
import { createSealer } from '../../../durable-objects/keyring/sealer.ts'
import { openKeyring } from './keyring.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

const bytesOf = (text: string) => new TextEncoder().encode(text)
const inTenMinutes = () => Date.now() + 600_000

describe.each([
  ['the keyring', () => createSealer(openKeyring().objects, undefined)],
  ['a secret', () => createSealer(openKeyring().objects, crypto.randomUUID())],
] as const)('with the keys of %s', (_, create) => {
  describe('a seal', () => {
    it('differs from every other seal of the same bytes', async () => {
      const sealer = create()
      const seals = await Promise.all(
        Array.from({ length: 100 }, () => sealer.seal('session-id/1', bytesOf('same'), 'c')),
      )
      expect(new Set(seals).size).toBe(100)
      expect(new Set(seals.map((sealed) => sealed.slice(-30))).size).toBe(100)
    })

    it('differs from a deterministic seal whose context and bytes concatenate to the same text', async () => {
      const sealer = create()
      const options = { deterministic: true }
      const one = await sealer.seal('client-id/1', bytesOf('"]x'.padEnd(32)), 'a', options)
      const other = await sealer.seal('client-id/1', bytesOf('x'.padEnd(32)), 'a"]', options)
      expect(one.slice(0, 26)).not.toBe(other.slice(0, 26))
    })

    it.each([
      ['an empty context', 'context', ''],
      ['a longer context', 'context', 'context '],
      ['a shorter context', 'context', 'contex'],
      ['a context in another case', 'context', 'Context'],
      ['a context in another Unicode normalization', 'é', 'e\u0301'],
      ['a context with another lone surrogate', '\ud800', '\ud801'],
      ['a context with the replacement character for a lone surrogate', '\ud800', '\ufffd'],
      ['a context that closes a JSON string', 'a', 'a"],["a'],
    ])('does not open in %s', async (_, context, other) => {
      const sealer = create()
      const sealed = await sealer.seal('request-state/1', bytesOf('text'), context)
      expect(await sealer.open('request-state/1', sealed, context)).toEqual(bytesOf('text'))
      expect(await sealer.open('request-state/1', sealed, other)).toBeUndefined()
    })

    it('does not open in another deployment', async () => {
      const sealed = await create().seal('client-id/1', bytesOf('text'), 'context')
      expect(await create().open('client-id/1', sealed, 'context')).toBeUndefined()
    })

    it('holds 147,000 bytes, and sealing 148,000 throws a RangeError', async () => {
      const sealer = create()
      const large = new Uint8Array(147_000).fill(7)
      const sealed = await sealer.seal('request-state/1', large, 'context')
      expect(sealed.length).toBeLessThanOrEqual(192 * 1024)
      expect(await sealer.open('request-state/1', sealed, 'context')).toEqual(large)
      const larger = new Uint8Array(148_000)
      await expect(sealer.seal('request-state/1', larger, 'context')).rejects.toThrow(RangeError)
    })
  })

  describe('text that does not open', () => {
    // Of three lengths, because the last base64url character can hold unused bits.
    it.each(['ten bytes.', 'eleven byte', 'twelve bytes'])(
      'is a seal with one character changed (%s)',
      async (text) => {
        const sealer = create()
        const sealed = await sealer.seal('request-state/1', bytesOf(text), 'context')
        for (let at = 0; at < sealed.length; at += 1) {
          for (const character of `${ALPHABET}.=+/ \n\u0000é`) {
            if (character === sealed[at]) continue
            const forged = sealed.slice(0, at) + character + sealed.slice(at + 1)
            expect(await sealer.open('request-state/1', forged, 'context')).toBeUndefined()
          }
        }
      },
    )

    it.each([
      ['empty text', () => ''],
      ['a dot', () => '.'],
      ['any text', () => 'not a seal'],
      ['a JSON Web Token', () => 'eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.'],
      ['a seal of zeros', () => `1AAAAAAAA.${'A'.repeat(64)}`],
      ['a key id that is a member of Object.prototype', () => `1toString.${'A'.repeat(64)}`],
      ['a megabyte of one letter', () => 'A'.repeat(1 << 20)],
      ['a megabyte after a valid prefix', () => `1AAAAAAAA.${'A'.repeat(1 << 20)}`],
      ['control characters', () => '\u0000\r\n'.repeat(40)],
      ['lone surrogates', () => '\ud800'.repeat(120)],
    ])('is %s', async (_, text) => {
      expect(await create().open('request-state/1', text(), 'context')).toBeUndefined()
    })
  })

  describe('a redeemed name', () => {
    it('does not match similar names', async () => {
      const sealer = create()
      const names = ['a', 'A', 'a ', ' a', 'é', 'e\u0301', "a'; DROP TABLE keys", '0', '\u0000']
      for (const name of names) expect(await sealer.redeem(name, inTenMinutes())).toBe(true)
      for (const name of names) expect(await sealer.redeem(name, inTenMinutes())).toBe(false)
    })

    it.each([
      ['has no characters', '', 1],
      ['has 257 characters', 'n'.repeat(257), 1],
      ['has no expiry', 'name', Number.NaN],
      ['never expires', 'name', Number.POSITIVE_INFINITY],
      ['expires at a fraction of a millisecond', 'name', 0.5],
    ])('is rejected with a TypeError when it %s', async (_, name, expiresAt) => {
      await expect(create().redeem(name, expiresAt)).rejects.toThrow(TypeError)
    })
  })
})
