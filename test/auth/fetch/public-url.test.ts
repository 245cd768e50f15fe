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

describe('parsePublicUrl rejects', () => {
  it.each([
    // Loopback, in every notation.
    'https://127.0.0.1/',
    'https://127.0.0.2/',
    'https://127.1/',
    'https://127.0.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.0.0.1/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://017700000001/',
    'https://0177.0.0.01/',
    'https://127.0.0.1./',
    'https://%31%32%37.0.0.1/',
    'https://\u2460\u2461\u2466.0.0.1/',
    'https://127\u30020\u30020\u30021/',
    'https://[::1]/',
    'https://[0:0:0:0:0:0:0:1]/',
    'https://[0000:0000:0000:0000:0000:0000:0000:0001]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[::127.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[::1%25lo]/',
    'https://[::]/',
    'https://0.0.0.0/',
    'https://0/',
    'https://localhost/',
    'https://LOCALHOST/',
    'https://localhost./',
    'https://a.localhost/',
    'https://localhost.localdomain/',
    'https://\u24c1ocalhost/',
    // Private networks, link-local, metadata, and other special ranges.
    'https://10.0.0.1/',
    'https://172.16.0.1/',
    'https://192.168.0.1/',
    'https://192.168.1/',
    'https://0xc0a80001/',
    'https://100.64.0.1/',
    'https://169.254.169.254/',
    'https://2852039166/',
    'https://0xa9fea9fe/',
    'https://0251.0376.0251.0376/',
    'https://[fe80::1]/',
    'https://[fe80::1%25eth0]/',
    'https://[fc00::1]/',
    'https://[fd00:ec2::254]/',
    'https://[ff02::1]/',
    'https://[2001:db8::1]/',
    'https://198.18.0.1/',
    'https://192.0.2.1/',
    'https://203.0.113.1/',
    'https://224.0.0.1/',
    'https://240.0.0.1/',
    'https://255.255.255.255/',
    // Public addresses are rejected as well.
    'https://1.1.1.1/',
    'https://[2606:4700:4700::1111]/',
    // Names of local networks.
    'https://router/',
    'https://metadata/',
    'https://metadata.google.internal/',
    'https://printer.local/',
    'https://nas.lan/',
    'https://wiki.corp/',
    'https://gateway.home/',
    'https://gateway.home.arpa/',
    'https://1.0.0.127.in-addr.arpa/',
    'https://shop.test/',
    'https://x.onion/',
    'https://x.intranet/',
    'https://a.example./',
    'https://a..example/',
    'https://.a.example/',
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
