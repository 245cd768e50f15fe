/** Redirect URIs: matching compares their parts, and a change of any of them is another URI. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRedirectPolicy } from '../../src/auth/clients/redirect-policy.ts'
import {
  describeRedirectUri,
  matchRedirectUri,
  parseRedirectUri,
  type ValidatedRedirectUri,
} from '../../src/auth/clients/redirect-uri.ts'
import { verifies } from '../support/verifies.ts'
import { runs } from './settings.ts'

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'] as const

interface Parts {
  readonly scheme: string
  readonly host: string
  readonly port: string
  readonly path: string
  readonly query: string
}

const path = fc.constantFrom(
  '',
  '/',
  '/callback',
  '/callback/',
  '/Callback',
  '/a/b',
  '/%41',
  '/a;b',
)
const query = fc.constantFrom('', '?a=b', '?a=b&c', '?')
const port = fc.constantFrom('', ':1', ':8080', ':80', ':65535')
const host = fc.constantFrom('a.example', 'b.a.example', 'localhost.example', 'xn--4ca.example')
const rest = { path, query }

const web: fc.Arbitrary<Parts> = fc.record({
  scheme: fc.constant('https'),
  host,
  port: port.filter((own) => own !== ':80'),
  ...rest,
})
const loopback: fc.Arbitrary<Parts> = fc.record({
  scheme: fc.constant('http'),
  host: fc.constantFrom(...LOOPBACK),
  port,
  ...rest,
})
const app: fc.Arbitrary<Parts> = fc.record({
  scheme: fc.constantFrom('cursor', 'com.example.app', 'vscode'),
  host: fc.constantFrom('host', 'Host', ''),
  port: fc.constant(''),
  ...rest,
})
const parts = fc.oneof(web, loopback, app).filter((own) => parseRedirectUri(textOf(own)).ok)

function textOf({ scheme, host: name, port: number, path: after, query: search }: Parts): string {
  return `${scheme}://${name}${number}${after}${search}`
}

const isLoopback = ({ scheme, host: name }: Parts) =>
  scheme === 'http' && LOOPBACK.some((own) => own === name)

/** Equality of the parts, where the port of a loopback URI and the slash of its root do not count. */
function areSame(one: Parts, other: Parts): boolean {
  const comparable = (own: Parts) =>
    isLoopback(own) ? { ...own, port: '', path: own.path === '' ? '/' : own.path } : own
  return textOf(comparable(one)) === textOf(comparable(other))
}

describe('matchRedirectUri', () => {
  it('accepts a URI exactly when a registered one has the same parts, except for the port and the root of a loopback host', () => {
    verifies('oauth-2-1-clients/complete-redirect-uris')
    verifies('oauth-2-1-grants/redirect-uri-is-validated')
    verifies('oauth-security-practice/exact-redirect-uris', 'native-apps/complete-redirect-uris')
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 5 }), parts, (registered, requested) => {
        const all = registered.map(textOf)
        const isRegistered = registered.some((own) => areSame(own, requested))
        const matched = matchRedirectUri(all, textOf(requested))
        expect(matched).toBe(isRegistered ? textOf(requested) : undefined)
      }),
      runs(1500),
    )
  })

  it('accepts no URI that differs from the registered one in a single character', () => {
    verifies('authorization-security/redirect-uris-are-validated')
    verifies('authorization-security-practices/redirect-uri-matches')
    verifies('enterprise-managed-authorization/exact-redirect-uris')
    verifies('oauth-2-1-clients/complete-redirect-uris')
    verifies('oauth-security-practice/exact-redirect-uris')
    const character = fc.constantFrom(...'aA1/.:@?#%*\\ -;', '\u00e9', '')
    const edit = fc.record({ at: fc.nat(), removed: fc.nat({ max: 1 }), insert: character })
    const withoutPort = fc.oneof(web, app).filter((own) => parseRedirectUri(textOf(own)).ok)
    fc.assert(
      fc.property(withoutPort, edit, (own, { at, removed, insert }) => {
        const uri = textOf(own)
        const start = at % (uri.length + 1)
        const changed = uri.slice(0, start) + insert + uri.slice(start + removed)
        fc.pre(changed !== uri)
        expect(matchRedirectUri([uri], changed)).toBeUndefined()
      }),
      runs(1500),
    )
  })

  it('uses the registered URI for a request without one only if it is the only one', () => {
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 3 }), (registered) => {
        const all = registered.map(textOf)
        expect(matchRedirectUri(all, undefined)).toBe(all.length === 1 ? all[0] : undefined)
      }),
      runs(200),
    )
  })
})

describe('parseRedirectUri', () => {
  it('finds the host that the platform connects to, for every URI that it accepts', () => {
    const piece = fc.constantFrom(
      ...[
        'https:',
        'http:',
        '//',
        '/',
        '\\',
        '@',
        ':',
        '?',
        '.',
        '%2e',
        '[::1]',
        'localhost',
        '127.0.0.1',
        'a.example',
        '80',
        ' ',
        '\t',
        ';',
      ],
    )
    const scheme = fc.constantFrom(
      'https://',
      'http://localhost',
      'http://127.0.0.1',
      'http://[::1]',
      'com.example.app:/',
    )
    const uri = fc
      .tuple(scheme, fc.array(piece, { maxLength: 4 }))
      .map(([first, pieces]) => first + pieces.join(''))
    let accepted = 0
    fc.assert(
      fc.property(uri, (text) => {
        const parsed = parseRedirectUri(text)
        if (!parsed.ok) return
        accepted++
        const { protocol, host: platformHost, hostname, username, hash } = new URL(text)
        expect([username, hash, `${parsed.value.scheme}:`]).toEqual(['', '', protocol])
        if (parsed.value.kind === 'loopback') expect(LOOPBACK).toContain(hostname)
        const { kind, target } = describeRedirectUri(text as ValidatedRedirectUri)
        expect(target).toBe(kind === 'app' ? protocol : platformHost)
      }),
      runs(3000),
    )
    expect(accepted).toBeGreaterThan(50)
  })
})

describe('a redirect policy', () => {
  it('accepts no URI that cannot be parsed, and with fewer schemes never more URIs', () => {
    const schemes = fc.subarray(['cursor', 'com.example.app', 'vscode'])
    fc.assert(
      fc.property(schemes, schemes, fc.oneof(parts.map(textOf), fc.string()), (one, other, uri) => {
        const accepts = (own: readonly string[]) =>
          createRedirectPolicy({ schemes: own }).refusal(uri) === undefined
        if (accepts(one)) {
          expect(parseRedirectUri(uri).ok).toBe(true)
          expect(accepts([...one, ...other])).toBe(true)
        }
        const isBoth = accepts(one.filter((scheme) => other.includes(scheme)))
        expect(isBoth).toBe(accepts(one) && accepts(other))
      }),
      runs(500),
    )
  })
})
