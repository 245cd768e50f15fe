import { describe, expect, it } from 'vitest'
import { sha256, sha256Base64Url } from '../../src/platform/digest.ts'
import { fnv1a } from '../../src/platform/fnv.ts'
import { randomToken } from '../../src/platform/random-token.ts'

describe('sha256', () => {
  it('hashes text as UTF-8 and bytes as they are', async () => {
    const bytes = new Uint8Array([0xc3, 0xa9])
    expect((await sha256('é')).toHex()).toBe((await sha256(bytes)).toHex())
    // FIPS 180-4, example for "abc".
    expect((await sha256('abc')).toHex()).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    )
  })

  it('encodes a digest as 43 characters of base64url', async () => {
    expect(await sha256Base64Url('abc')).toBe('ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0')
  })
})

describe('fnv1a', () => {
  // Vectors of draft-eastlake-fnv.
  it.each([
    ['', 0x811c9dc5],
    ['a', 0xe40c292c],
    ['foobar', 0xbf9cf968],
  ])('hashes %j to %i', (text, hash) => {
    expect(fnv1a(text)).toBe(hash)
  })

  it('gives other hashes with another offset basis', () => {
    expect(fnv1a('foobar', 1)).not.toBe(fnv1a('foobar'))
  })
})

describe('randomToken', () => {
  it('returns 43 characters of base64url, different each time', () => {
    const tokens = Array.from({ length: 100 }, () => randomToken())
    expect(new Set(tokens).size).toBe(100)
    for (const token of tokens) expect(token).toMatch(/^[\w-]{43}$/)
  })

  it('returns as many bytes as it is asked for', () => {
    expect(randomToken(6)).toMatch(/^[\w-]{8}$/)
  })
})
