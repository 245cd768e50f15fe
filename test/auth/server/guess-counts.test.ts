/** The networks whose wrong passphrases are counted together. */
import { describe, expect, it } from 'vitest'
import { guessCounts } from '../../../src/auth/server/secret-guess.ts'

const ADDRESS = '203.0.113.7'

const keyOf = (address: string | null) => {
  const headers = new Headers(address === null ? {} : { 'cf-connecting-ip': address })
  return guessCounts(new Request('https://mcp.example.com/login', { headers }))[0].key
}

describe('wrong passphrases', () => {
  it.each([
    ['another IPv4 address', ADDRESS, '203.0.113.8'],
    ['another IPv6 network', '2001:db8:0:1::1', '2001:db8:0:2::1'],
    ['a network that differs in its first group', '::1', '1::1'],
    ['a request without an address', ADDRESS, null],
    ['an address that cannot be read', null, 'x'],
  ])('are not counted for %s', (_, counted, other) => {
    expect(keyOf(other)).not.toBe(keyOf(counted))
  })

  it.each([
    ['requests without an address', null, null],
    ['addresses of one /64', '2001:db8:0:1::1', '2001:db8:0:1:ffff:ffff:ffff:ffff'],
    ['spellings of one /64', '2001:DB8::1:0:0:0:1', '2001:0db8:0000:0001::'],
    ['addresses without a zero group', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2:6:5:4:3'],
    ['loopback addresses', '::1', '::'],
    ['addresses that cannot be read', 'x', 'y'],
    ['an IPv4 address and its spelling in IPv6', ADDRESS, `::ffff:${ADDRESS}`],
  ])('are counted together for %s', (_, one, other) => {
    expect(keyOf(other)).toBe(keyOf(one))
  })
})
