/** The addresses that the command line connects to. */
import { describe, expect, it } from 'vitest'
import {
  createAddressGuard,
  isPrivateHost,
  PrivateAddressError,
} from '../src/doctor/http/addresses.ts'
import { createHttpClient } from '../src/doctor/http/http-client.ts'

const LOOPBACK = [
  'http://localhost/',
  'http://a.localhost/',
  'http://localhost./',
  'http://127.0.0.1/',
  'http://127.1/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://127.255.255.254/',
  'http://[::1]/',
  'http://[::ffff:127.0.0.1]/',
]

const PRIVATE = [
  'http://10.1.2.3/',
  'http://172.16.0.1/',
  'http://172.31.255.255/',
  'http://192.168.1.1/',
  'http://100.64.0.1/',
  'http://100.127.255.255/',
  'http://[::ffff:10.0.0.1]/',
  'http://[fd00::1]/',
  'http://[fc00::1]/',
  'http://printer.local/',
  'http://service.internal/',
  'http://wiki.corp/',
  'http://router.lan./',
]

/** One of each range of the registries of special purpose. */
const SPECIAL = [
  'http://0.0.0.0/',
  'http://0.1.2.3/',
  'http://169.254.169.254/latest/meta-data',
  'http://192.0.0.8/',
  'http://192.0.0.170/',
  'http://192.0.2.1/',
  'http://192.88.99.1/',
  'http://198.18.0.1/',
  'http://198.19.255.255/',
  'http://198.51.100.1/',
  'http://203.0.113.1/',
  'http://224.0.0.1/',
  'http://239.255.255.250/',
  'http://240.0.0.1/',
  'http://255.255.255.255/',
  'http://[::]/',
  'http://[::7f00:1]/',
  'http://[::ffff:8.8.8.8]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[64:ff9b::a9fe:a9fe]/',
  'http://[64:ff9b::10.0.0.1]/',
  'http://[64:ff9b::198.18.0.1]/',
  'http://[64:ff9b::224.0.0.1]/',
  'http://[64:ff9b:0:0:0:1:808:808]/',
  'http://[64:ff9b:1::1]/',
  'http://[100::1]/',
  'http://[100:0:0:1::1]/',
  'http://[2001::1]/',
  'http://[2001:2::1]/',
  'http://[2001:10::1]/',
  'http://[2001:20::1]/',
  'http://[2001:1ff:ffff::1]/',
  'http://[2001:db8::1]/',
  'http://[2002:7f00:1::1]/',
  'http://[3fff::1]/',
  'http://[3fff:fff::1]/',
  'http://[5f00::1]/',
  'http://[fe80::1]/',
  'http://[fec0::1]/',
  'http://[ff02::1]/',
]

const PUBLIC = [
  'https://example.com/',
  'https://8.8.8.8/',
  'https://172.32.0.1/',
  'https://100.128.0.1/',
  'https://192.0.1.1/',
  'https://192.175.48.1/',
  'https://198.20.0.1/',
  'https://223.255.255.255/',
  'https://[2606:4700::1]/',
  'https://[64:ff9b::8.8.8.8]/',
  'https://[2001:200::1]/',
  'https://[2001:4860:4860::8888]/',
  'https://[2003::1]/',
  'https://[2620:4f:8000::1]/',
  'https://localhost.example/',
]

const refusedBy = (given: string, url: string) => {
  try {
    createAddressGuard(new URL(given)).checkHost(new URL(url))
    return false
  } catch (error) {
    if (error instanceof PrivateAddressError) return true
    throw error
  }
}

const resolvedBy = (given: string, name: string) =>
  new Promise((done) => {
    createAddressGuard(new URL(given)).lookup(name, {}, (error, address) => done(error ?? address))
  })

/** The addresses that a guard permits of those that DNS has found. */
const allOf = (given: string, name: string, found: readonly string[]) =>
  new Promise((done) => {
    const addresses = found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    const guard = createAddressGuard(new URL(given), (_, __, answer) => answer(null, addresses))
    guard.lookup(name, { all: true }, (error, permitted) =>
      done(error ?? (permitted as typeof addresses).map(({ address }) => address)),
    )
  })

describe('the addresses of the command line', () => {
  it.each([...LOOPBACK, ...PRIVATE, ...SPECIAL])('are not public for %s', (url) => {
    expect(isPrivateHost(new URL(url))).toBe(true)
    expect(refusedBy('https://mcp.example.com', url)).toBe(true)
  })

  it.each(PUBLIC)('are public for %s', (url) => {
    expect(isPrivateHost(new URL(url))).toBe(false)
    expect(refusedBy('https://mcp.example.com', url)).toBe(false)
    expect(refusedBy('http://localhost:8787', url)).toBe(false)
  })

  it.each([...LOOPBACK, ...PRIVATE, ...SPECIAL, 'file:///etc/passwd', 'data:text/plain,x'])(
    'of a public server do not include %s',
    async (url) => {
      const given = new URL('https://mcp.example.com')
      const http = createHttpClient({ timeoutMs: 500, given, userAgent: 'test' })
      const reply = await http.send({ method: 'GET', url: new URL(url) })
      expect(reply).toMatchObject({ ok: false, failure: { kind: 'address-refused' } })
    },
  )

  it.each(LOOPBACK)('of a server under development include %s', (url) => {
    expect(refusedBy('http://localhost:8787', url)).toBe(false)
  })

  it.each([...PRIVATE, ...SPECIAL])('of a server under development do not include %s', (url) => {
    expect(refusedBy('http://localhost:8787', url)).toBe(true)
  })

  it('of a server in a private network include that network, and no other range', () => {
    expect(refusedBy('https://10.0.0.7', 'https://192.168.0.7/')).toBe(false)
    expect(refusedBy('https://mcp.internal', 'https://10.0.0.7/')).toBe(false)
    for (const url of [...LOOPBACK, ...SPECIAL])
      expect(refusedBy('https://10.0.0.7', url)).toBe(true)
  })

  it('of a server with a special address include that address alone', () => {
    expect(refusedBy('http://169.254.7.7', 'http://169.254.7.7:8080/')).toBe(false)
    expect(refusedBy('http://169.254.7.7', 'http://169.254.169.254/')).toBe(true)
  })

  it.each([
    ['is public', ['8.8.8.8'], ['8.8.8.8']],
    [
      'is translated from a public one',
      ['64:ff9b::808:808', '8.8.8.8'],
      ['64:ff9b::808:808', '8.8.8.8'],
    ],
    ['is public beside others', ['10.0.0.1', 'fe80::1', '8.8.8.8', '::1'], ['8.8.8.8']],
    ['is of a local proxy', ['198.18.0.7'], ['198.18.0.7']],
  ])('of a given public name include one that %s', async (_, found, expected) => {
    expect(await allOf('https://mcp.example.com', 'mcp.example.com', found)).toEqual(expected)
  })

  it.each([
    ['a given name', 'mcp.example.com', ['10.0.0.1', '64:ff9b::a00:1']],
    ['a given name', 'mcp.example.com', ['240.0.0.1']],
    ['a name of metadata', 'login.example.com', ['198.18.0.7']],
    ['a name of metadata', 'login.example.com', ['198.19.255.255', '192.0.0.8', '2002:808:808::1']],
  ])('of %s, %s, are refused by address where none is public: %s', async (_, name, found) => {
    const error = await allOf('https://mcp.example.com', name, found)
    expect(error).toBeInstanceOf(PrivateAddressError)
    expect(String(error)).toBe(`Error: The address ${found.join(', ')} of ${name}`)
  })

  it('are checked again when a name is resolved', async () => {
    expect(await resolvedBy('http://localhost:8787', 'localhost')).toMatch(/^127\.0\.0\.1$|^::1$/)
    expect(await resolvedBy('https://mcp.example.com', 'localhost')).toBeInstanceOf(
      PrivateAddressError,
    )
    expect(await resolvedBy('https://10.0.0.7', 'localhost')).toBeInstanceOf(PrivateAddressError)
  })
})
