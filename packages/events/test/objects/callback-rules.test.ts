/** Which URLs may be callbacks: a table of hostile ones, and those that are accepted. */
import { describe, expect, it } from 'vitest'
import { checkCallback } from '../../src/objects/callback-rules.ts'
import type { CallbackRules } from '../../src/objects/event-settings.ts'

const OWN = ['https://mcp.example.com', 'https://edgeway.ada.workers.dev']

async function reasonOf(url: string, rules: CallbackRules = {}): Promise<string | undefined> {
  const checked = await checkCallback(url, { rules, env: {}, ownOrigins: OWN })
  return checked.ok ? undefined : checked.error
}

const NOT_HTTPS =
  'delivery.url must be an absolute https URL of at most 2048 ASCII characters, without user information and fragment'
const NOT_PUBLIC = 'delivery.url must name a public host'
const OWN_SERVER = 'delivery.url must not name this server'
const CHANGED =
  'delivery.url must have a path and query that URL parsers do not change: encode quotes, and use no dot segments'

const ACCEPTED = [
  'https://hooks.example.org/',
  'https://hooks.example.org',
  'https://hooks.example.org?key=a',
  'https://hooks.example.org:443/a?',
  "https://hooks.example.org/it's?key=%27a%27&b={c}",
  'HTTPS://Hooks.Example.ORG/Path',
  'https://hooks.example.org./a',
  'https://hooks.example.org:8443/a?b=c&d=%7e%2F',
  'https://hooks.example.org/a@b/c:d',
  'https://hooks.example.org/?next=https://127.0.0.1/',
  'https://xn--bcher-kva.example/hook',
  'https://connectors.api.openai.com/webhook/mcp-events/0123456789abcdef0123456789abcdef',
  'https://localhost.example.org/',
  'https://10.0.0.1.example.org/',
  'https://internal.example.org/',
  `https://hooks.example.org/${'a'.repeat(2048 - 26)}`,
]

const REFUSED: readonly (readonly [url: string, reason: string])[] = [
  // Not an absolute https URL.
  ['', NOT_HTTPS],
  ['hooks.example.org/a', NOT_HTTPS],
  ['//hooks.example.org/a', NOT_HTTPS],
  ['/a', NOT_HTTPS],
  ['https:hooks.example.org/a', NOT_HTTPS],
  ['https:/hooks.example.org/a', NOT_HTTPS],
  ['https://', NOT_HTTPS],
  ['https:///a', NOT_HTTPS],
  ['https:///hooks.example.org/a', NOT_HTTPS],
  ['https:////hooks.example.org/a', NOT_HTTPS],
  ['http://hooks.example.org/a', NOT_HTTPS],
  ['ftp://hooks.example.org/a', NOT_HTTPS],
  ['ws://hooks.example.org/a', NOT_HTTPS],
  ['file:///etc/passwd', NOT_HTTPS],
  ['data:text/plain,a', NOT_HTTPS],
  ['javascript:alert(1)', NOT_HTTPS],
  ['blob:https://hooks.example.org/a', NOT_HTTPS],
  // Text that a parser of URLs would change.
  [' https://hooks.example.org/a', NOT_HTTPS],
  ['https://hooks.example.org/a ', NOT_HTTPS],
  ['https://hooks.exa\tmple.org/a', NOT_HTTPS],
  ['https://hooks.example.org/a\n', NOT_HTTPS],
  ['https://hooks.example.org/\r\nHost: 127.0.0.1', NOT_HTTPS],
  ['https:\\\\hooks.example.org\\a', NOT_HTTPS],
  ['https://hooks.example.org\\@127.0.0.1/', NOT_HTTPS],
  ['https://hooks.example.org/\u0000', NOT_HTTPS],
  ['https://hooks.example.org/ä', NOT_HTTPS],
  ['https://bücher.example/hook', NOT_HTTPS],
  ['https://ｈooks.example.org/', NOT_HTTPS],
  ['https://127。0。0。1/', NOT_HTTPS],
  ['https://①②⑦.0.0.1/', NOT_HTTPS],
  ['https://hooks.example.org:99999/', NOT_HTTPS],
  ['https://hooks.example.org:port/', NOT_HTTPS],
  ['https://hooks.exa%00mple.org/', NOT_HTTPS],
  ['https://[::1/', NOT_HTTPS],
  // A path or query that a parser of URLs would change.
  ["https://hooks.example.org/?key='tenant'", CHANGED],
  ['https://hooks.example.org/?key="tenant"', CHANGED],
  ['https://hooks.example.org?key=<a>', CHANGED],
  ['https://hooks.example.org/{tenant}/a', CHANGED],
  ['https://hooks.example.org/a/../b', CHANGED],
  ['https://hooks.example.org/a/./b', CHANGED],
  ['https://hooks.example.org/a/%2e%2E/b', CHANGED],
  // User information and fragments.
  ['https://user@hooks.example.org/', NOT_HTTPS],
  ['https://user:password@hooks.example.org/', NOT_HTTPS],
  ['https://:password@hooks.example.org/', NOT_HTTPS],
  ['https://@hooks.example.org/', NOT_HTTPS],
  ['https://example.com@127.0.0.1/', NOT_HTTPS],
  ['https:///user:password@hooks.example.org/', NOT_HTTPS],
  ['https://example.com:443@127.0.0.1/', NOT_HTTPS],
  ['https://127.0.0.1#@hooks.example.org/', NOT_HTTPS],
  ['https://hooks.example.org/#fragment', NOT_HTTPS],
  ['https://hooks.example.org/a#', NOT_HTTPS],
  [`https://hooks.example.org/${'a'.repeat(2048 - 25)}`, NOT_HTTPS],
  // This machine.
  ['https://localhost/', NOT_PUBLIC],
  ['https://LOCALHOST:8787/', NOT_PUBLIC],
  ['https://localhost./', NOT_PUBLIC],
  ['https://localhost../', NOT_PUBLIC],
  ['https://hooks.localhost/', NOT_PUBLIC],
  ['https://hooks.localhost./', NOT_PUBLIC],
  ['https://127.0.0.1/', NOT_PUBLIC],
  ['https://127.0.0.1:8787/', NOT_PUBLIC],
  ['https://127.0.0.1./', NOT_PUBLIC],
  ['https://127.1/', NOT_PUBLIC],
  ['https://127.255.255.254/', NOT_PUBLIC],
  ['https://2130706433/', NOT_PUBLIC],
  ['https://017700000001/', NOT_PUBLIC],
  ['https://0177.0.0.1/', NOT_PUBLIC],
  ['https://0x7f000001/', NOT_PUBLIC],
  ['https://0x7f.0.0.1/', NOT_PUBLIC],
  ['https://0x7f.1/', NOT_PUBLIC],
  ['https://%31%32%37.0.0.1/', NOT_PUBLIC],
  ['https://0/', NOT_PUBLIC],
  ['https://0.0.0.0/', NOT_PUBLIC],
  ['https://[::]/', NOT_PUBLIC],
  ['https://[::1]/', NOT_PUBLIC],
  ['https://[0:0:0:0:0:0:0:1]/', NOT_PUBLIC],
  ['https://[::ffff:127.0.0.1]/', NOT_PUBLIC],
  ['https://[::ffff:7f00:1]/', NOT_PUBLIC],
  ['https://[::127.0.0.1]/', NOT_PUBLIC],
  // Private and special networks.
  ['https://10.0.0.1/', NOT_PUBLIC],
  ['https://10.255.255.255/', NOT_PUBLIC],
  ['https://100.64.0.1/', NOT_PUBLIC],
  ['https://169.254.169.254/latest/meta-data/', NOT_PUBLIC],
  ['https://0xa9fea9fe/', NOT_PUBLIC],
  ['https://2852039166/', NOT_PUBLIC],
  ['https://172.16.0.1/', NOT_PUBLIC],
  ['https://172.31.255.255/', NOT_PUBLIC],
  ['https://192.168.0.1/', NOT_PUBLIC],
  ['https://0300.0250.0.1/', NOT_PUBLIC],
  ['https://192.0.2.1/', NOT_PUBLIC],
  ['https://198.18.0.1/', NOT_PUBLIC],
  ['https://224.0.0.1/', NOT_PUBLIC],
  ['https://255.255.255.255/', NOT_PUBLIC],
  ['https://[fc00::1]/', NOT_PUBLIC],
  ['https://[fd00:ec2::254]/', NOT_PUBLIC],
  ['https://[fe80::1]/', NOT_PUBLIC],
  ['https://[64:ff9b::7f00:1]/', NOT_PUBLIC],
  ['https://[64:ff9b:1::1]/', NOT_PUBLIC],
  ['https://[2002:7f00:1::]/', NOT_PUBLIC],
  ['https://[::ffff:10.0.0.1]/', NOT_PUBLIC],
  ['https://[::ffff:0:10.0.0.1]/', NOT_PUBLIC],
  ['https://[ff02::1]/', NOT_PUBLIC],
  // Public addresses have no certificate in practice.
  ['https://8.8.8.8/', NOT_PUBLIC],
  ['https://134744072/', NOT_PUBLIC],
  ['https://[2606:4700:4700::1111]/', NOT_PUBLIC],
  // Names that are resolved locally.
  ['https://intranet/', NOT_PUBLIC],
  ['https://intranet./', NOT_PUBLIC],
  ['https://printer.local/', NOT_PUBLIC],
  ['https://printer.local./', NOT_PUBLIC],
  ['https://metadata.google.internal/', NOT_PUBLIC],
  ['https://METADATA.GOOGLE.INTERNAL./', NOT_PUBLIC],
  ['https://router.lan/', NOT_PUBLIC],
  ['https://router.home.arpa/', NOT_PUBLIC],
  ['https://host.localdomain/', NOT_PUBLIC],
  // The server itself.
  ['https://mcp.example.com/mcp', OWN_SERVER],
  ['https://MCP.example.com./mcp', OWN_SERVER],
  ['https://mcp.example.com:8443/mcp', OWN_SERVER],
  ['https://edgeway.ada.workers.dev/', OWN_SERVER],
]

describe('a callback URL', () => {
  it.each(ACCEPTED)('%s is accepted', async (url) => {
    expect(await reasonOf(url)).toBeUndefined()
  })

  it.each(REFUSED)('%j is refused: %s', async (url, reason) => {
    expect(await reasonOf(url)).toBe(reason)
  })
})

describe('a callback URL at a trusted origin', () => {
  const trusted = [
    'http://127.0.0.1:4000',
    'https://10.0.0.1/',
    'https://mcp.example.com',
    'no origin',
  ]

  it.each([
    'http://127.0.0.1:4000/hook',
    'http://127.1:4000/hook',
    'https://10.0.0.1/hook',
    'https://mcp.example.com/hook',
  ])('%s is accepted', async (url) => {
    expect(await reasonOf(url, { trusted })).toBeUndefined()
  })

  it.each([
    ['http://127.0.0.1:4001/hook', NOT_HTTPS],
    ['https://127.0.0.1:4000/hook', NOT_PUBLIC],
    ['http://127.0.0.1:4000.example.com/hook', NOT_HTTPS],
    ['http://user@127.0.0.1:4000/hook', NOT_HTTPS],
    ['http://127.0.0.1:4000/hook#fragment', NOT_HTTPS],
    ['http://localhost:4000/hook', NOT_HTTPS],
  ])('is another one in %s, which is refused', async (url, reason) => {
    expect(await reasonOf(url, { trusted })).toBe(reason)
  })

  it('may be named by a function, which gets the origin and the environment', async () => {
    const asked: unknown[] = []
    const trusts = async (...parameters: unknown[]) => asked.push(parameters) > 0
    expect(await reasonOf('http://127.0.0.1:4000/hook?a', { trusted: trusts })).toBeUndefined()
    expect(asked).toEqual([['http://127.0.0.1:4000', {}]])
  })

  it('is not looked up for a text that is no callback at any origin', async () => {
    const never = () => Promise.reject(new Error('asked'))
    expect(await reasonOf('ftp://127.0.0.1/', { trusted: never })).toBe(NOT_HTTPS)
  })
})
