import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parsePublicUrl } from '../../../src/auth/fetch/public-url.ts'
import { verifies } from '../../support/verifies.ts'

describe('parsePublicUrl accepts', () => {
  it.each([
    'https://claude.ai/oauth/mcp-oauth-client-metadata',
    'https://a.example/',
    'https://a.example/?q=1',
    'https://xn--bcher-kva.example/client.json',
    'https://a_b.c-d.example/client.json',
    'https://localhost.a.example/client.json',
    'https://127.0.0.1.a.example/client.json',
    'https://10.example.com/client.json',
    'https://local.example/client.json',
  ])('%s', (url) => {
    expect(parsePublicUrl(url)?.href).toBe(url)
  })
})

// Loopback, in every notation.
const LOOPBACK =
  '127.0.0.1 127.0.0.2 127.1 127.0.1 2130706433 0x7f000001 0x7f.0.0.1 0x7f.1 0177.0.0.1 ' +
  '017700000001 0177.0.0.01 127.0.0.1. %31%32%37.0.0.1 \u2460\u2461\u2466.0.0.1 ' +
  '127\u30020\u30020\u30021 [::1] [0:0:0:0:0:0:0:1] ' +
  '[0000:0000:0000:0000:0000:0000:0000:0001] [::ffff:127.0.0.1] [::ffff:7f00:1] ' +
  '[::127.0.0.1] [64:ff9b::7f00:1] [2002:7f00:1::] [::1%25lo] [::] 0.0.0.0 0 localhost ' +
  'LOCALHOST localhost. a.localhost localhost.localdomain \u24c1ocalhost'
// Private networks, link-local, metadata, and other special ranges.
const SPECIAL =
  '10.0.0.1 172.16.0.1 192.168.0.1 192.168.1 0xc0a80001 100.64.0.1 169.254.169.254 ' +
  '2852039166 0xa9fea9fe 0251.0376.0251.0376 [fe80::1] [fe80::1%25eth0] [fc00::1] ' +
  '[fd00:ec2::254] [ff02::1] [2001:db8::1] 198.18.0.1 192.0.2.1 203.0.113.1 224.0.0.1 ' +
  '240.0.0.1 255.255.255.255'
// Public addresses are rejected as well.
const PUBLIC = '1.1.1.1 [2606:4700:4700::1111]'
// Names of local networks.
const NAMES =
  'router metadata metadata.google.internal printer.local nas.lan wiki.corp gateway.home ' +
  'gateway.home.arpa 1.0.0.127.in-addr.arpa shop.test x.onion x.intranet a.example. ' +
  'a..example .a.example'

describe('parsePublicUrl rejects', () => {
  it.each([
    ...[LOOPBACK, SPECIAL, PUBLIC, NAMES].flatMap((hosts) =>
      hosts.split(' ').map((host) => `https://${host}/`),
    ),
    // Other protocols, and their ports.
    'http://a.example/',
    'ftp://a.example/',
    'file:///etc/passwd',
    'data:application/json,{}',
    'javascript:alert(1)',
    'gopher://a.example/',
    'blob:https://a.example/1',
    'https://a.example:22/',
    'https://a.example:25/',
    'https://a.example:80/',
    'https://a.example:8443/',
    'https://a.example:1024/client.json',
    'https://a.example:65535/',
    'https://a.example:0/',
    'https://a.example:1023/',
    'https://a.example:65536/',
    // Ambiguous or not canonical.
    'https://a.example:443/',
    'https://user@a.example/',
    'https://user:secret@a.example/',
    'https://a.example@127.0.0.1/',
    'https://127.0.0.1@a.example/',
    'https://a.example\\@127.0.0.1/',
    'https://a.example#@127.0.0.1/',
    'https://a.example/#',
    'https://a.example/../',
    'https://a.example/%2e%2e/x',
    'https://a.example',
    'https:a.example/',
    'HTTPS://a.example/',
    'https://A.example/',
    'https://a.example/ ',
    ' https://a.example/',
    'https://a.exa\tmple/',
    'https://a.example/\r\nhost: b',
    'https://b\u00fccher.example/',
    'https://a.example\u0000/',
    '//a.example/',
    '/a.example',
    '',
    `https://a.example/${'x'.repeat(2048)}`,
    `https://${'a'.repeat(64)}.example/`,
    `https://${'a.'.repeat(130)}example/`,
  ])('%j', (url) => {
    verifies('client-id-metadata-documents/special-use-addresses')
    expect(parsePublicUrl(url)).toBeUndefined()
  })

  it('every address literal, in numbers of any base', () => {
    const number = fc.nat({ max: 255 })
    const notation = fc
      .tuple(number, fc.constantFrom(10, 8, 16))
      .map(([n, base]) => (base === 16 ? '0x' : base === 8 ? '0' : '') + n.toString(base))
    fc.assert(
      fc.property(fc.array(notation, { minLength: 1, maxLength: 5 }), (parts) => {
        expect(parsePublicUrl(`https://${parts.join('.')}/`)).toBeUndefined()
      }),
      { numRuns: 2000 },
    )
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        expect(parsePublicUrl(`https://[${address}]/`)).toBeUndefined()
      }),
    )
  })
})
