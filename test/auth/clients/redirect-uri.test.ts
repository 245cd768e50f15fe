import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  describeRedirectUri,
  matchRedirectUri,
  parseRedirectUri,
} from '../../../src/auth/clients/redirect-uri.ts'
import { verifies } from '../../support/verifies.ts'

const LONG = `https://a.example/${'x'.repeat(2048)}`

/** A row for each of the URIs that are listed by what becomes of them. */
const rows = (uris: Readonly<Record<string, string>>) =>
  Object.entries(uris).flatMap(([result, list]) =>
    list.split(' ').map((uri): [string, string] => [uri, result]),
  )

describe('parseRedirectUri accepts', () => {
  it.each(
    rows({
      https:
        'https://a.example/cb https://a.example/ https://a.example https://a.example?x=1 ' +
        'https://a.example/cb?x=1&y=%20 https://a.example/cb?State=1&codes=2 ' +
        'https://a.example:8443/cb https://a.example/a/b/c/ https://a.example/a//b ' +
        'https://a.example/a@b:c;d=e,f https://xn--bcher-kva.example/cb ' +
        'https://a-b.c_d.example/cb https://localhost/cb https://localhost:8443/cb ' +
        'https://127.0.0.1/cb https://[2001:db8::1]/cb https://intranet/cb',
      loopback:
        'http://127.0.0.1/ http://127.0.0.1 http://127.0.0.1:33418/ http://127.0.0.1:33418 ' +
        'http://localhost/callback http://localhost:0/callback ' +
        'http://localhost:65535/callback?a=b http://[::1]/callback ' +
        'http://[::1]:8080/callback',
      app:
        'cursor://anysphere.cursor-mcp/oauth/callback ' +
        'vscode://vscode.microsoft-authentication claude://oauth ' +
        'com.example.app:/oauth2redirect com.example.app:/ com.example.app://oauth ' +
        'com.example.app:///oauth com.example.app://oauth/cb?x=1',
    }),
  )('%s as %s', (uri, kind) => {
    expect(parseRedirectUri(uri)).toMatchObject({ ok: true, value: { kind } })
    expect(matchRedirectUri([uri], uri)).toBe(uri)
  })
})

const FRAGMENT = 'has a fragment'
const WILDCARD = 'has a wildcard: each redirect URI must be registered separately'
const CHARACTERS = 'has characters that are not allowed in a URI'
const CONTROL = 'has an encoded control character'
const RELATIVE = 'is not an absolute URI'
const USER = 'has user information'
const CANONICAL = 'is not in its canonical form'
const PLAIN_HTTP = 'must be https, unless its host is a loopback address'
const SCHEME = 'has a scheme that is never accepted'
const OPAQUE = 'has no slash after its scheme'

describe('parseRedirectUri rejects', () => {
  it.each([
    ...rows({
      [SCHEME]:
        'javascript:alert(1) javascript://a.example/?alert(1) vbscript:/x livescript:/x ' +
        'data:text/html,x data:/text/html,x file:///etc/passwd file://host/share ' +
        'blob:https://a.example/1 about:blank filesystem:https://a.example/t ' +
        'view-source:https://a.example ftp://a.example/cb ws://a.example/cb ' +
        'wss://a.example/cb mailto:a@a.example tel:+1 intent://a.example/ ' +
        'chrome-extension://abc/cb urn:ietf:wg:oauth:2.0:oob',
      [CONTROL]:
        'javascript://a.example/%0aalert(1) https://a.example/cb%0d%0aset-cookie:a=b ' +
        'https://a.example/%00 https://a.example/%7F',
      [CANONICAL]:
        'JavaScript:alert(1) JAVASCRIPT:/alert(1) DATA:text/html,x http://2130706433/cb ' +
        'http://0x7f.1/cb http://0177.0.0.1/cb http://127.1/cb http://[0:0:0:0:0:0:0:1]/cb ' +
        'http://LOCALHOST/cb http://localhost:080/cb http://localhost:/cb ' +
        'https://a.example:443/cb https://A.example/cb HTTPS://a.example/cb ' +
        'https:a.example/cb https:/a.example/cb https:///a.example/cb ' +
        'https://a.example/a/../b https://a.example/a/./b https://a.example/%2e%2e/b ' +
        'https://%61.example/cb https://@a.example/cb',
      [RELATIVE]:
        'javascript%3aalert(1) http://[::1%25lo0]/cb http://localhost:65536/cb ' +
        '//a.example/cb /cb a.example/cb https://',
      [OPAQUE]: 'com.example.app:callback com.example.app:',
      [PLAIN_HTTP]:
        'http://127.0.0.2/cb http://10.0.0.1/cb http://0.0.0.0/cb ' +
        'http://localhost.a.example/cb http://localhost./cb http://sub.localhost/cb ' +
        'http://127.0.0.1.a.example/cb http://[::ffff:7f00:1]/cb',
      [USER]:
        'https://user@a.example/cb https://user:secret@a.example/cb ' +
        'https://:secret@a.example/cb https://a.example@b.example/cb ' +
        'http://localhost@a.example/cb cursor://user@host/cb',
      [FRAGMENT]:
        'https://a.example/cb# https://a.example/cb#x http://localhost/cb#access_token=1 ' +
        'com.example.app:/cb#x',
      [WILDCARD]: 'https://*.a.example/cb https://a.example/* http://localhost:*/cb https://*',
      [CHARACTERS]:
        'https://a.example/%zz https://a.example/% https://a.example/"onload=" ' +
        'https://a.example/<script> https://a.example/|',
    }),
    ['https://a.example/cb?state=1', 'has the parameter state of a response'],
    ['https://a.example/cb?x=1&code', 'has the parameter code of a response'],
    ['https://a.example/cb?%69ss=https://b.example', 'has the parameter iss of a response'],
    ['http://127.0.0.1/cb?error=x', 'has the parameter error of a response'],
    ['com.example.app:/cb?error_uri=x', 'has the parameter error_uri of a response'],
    ['java\tscript:alert(1)', CHARACTERS],
    ['java\nscript:alert(1)', CHARACTERS],
    [' javascript:alert(1)', CHARACTERS],
    ['\u0001javascript:alert(1)', CHARACTERS],
    ['intent://a.example/#Intent;end', FRAGMENT],
    ['http://a.example/cb', PLAIN_HTTP],
    ['https://a.example/cb?q=\u0027', CANONICAL],
    ['https://a.example\\@b.example/cb', CHARACTERS],
    ['https://a.example\\cb', CHARACTERS],
    ['https:\\\\a.example/cb', CHARACTERS],
    ['', CHARACTERS],
    ['https://a.example/c b', CHARACTERS],
    ['https://a.example/cb ', CHARACTERS],
    ['https://a.example/cb\r\nset-cookie: a=b', CHARACTERS],
    ['https://a.example/cb\u0000', CHARACTERS],
    ['https://b\u00fccher.example/cb', CHARACTERS],
    ['https://a.example\u3002evil.example/cb', CHARACTERS],
    ['https://a\u202e.example/cb', CHARACTERS],
    ["https://a.example;script-src'x'/cb", 'has a host with invalid characters'],
    ['https://a.example,b.example/cb', 'has a host with invalid characters'],
    [LONG, 'is longer than 2048 characters'],
  ])('%j', (uri, error) => {
    verifies('authorization-security/communication-security', 'oauth-2-1-clients/secure-transport')
    verifies('oauth-2-1-clients/redirect-uri-is-absolute')
    verifies('oauth-security-practice/encrypted-responses')
    verifies(
      'authorization-security/https-redirect-uris',
      'oauth-security-practice/plain-http-redirects',
      { row: 'http://a.example/cb' },
    )
    verifies('dynamic-client-registration/redirect-uris-are-checked', {
      row: 'http://a.example/cb',
    })
    verifies('oauth-2-1-clients/redirect-uri-has-no-fragment', {
      row: 'intent://a.example/#Intent;end',
    })

    expect(parseRedirectUri(uri)).toEqual({ ok: false, error })
    // Also for a client that has registered it.
    expect(matchRedirectUri([uri], uri)).toBeUndefined()
  })
})

describe('matchRedirectUri', () => {
  it.each([
    ['https://a.example/cb', 'https://a.example/cb'],
    ['http://127.0.0.1/', 'http://127.0.0.1:52341/'],
    ['http://127.0.0.1:33418/', 'http://127.0.0.1:1/'],
    ['http://127.0.0.1:33418', 'http://127.0.0.1:5000'],
    ['http://127.0.0.1:33418/', 'http://127.0.0.1/'],
    ['http://localhost/callback', 'http://localhost:65535/callback'],
    ['http://localhost:3118/callback?a=b', 'http://localhost:1024/callback?a=b'],
    ['http://[::1]/cb', 'http://[::1]:9000/cb'],
    ['http://localhost?a=b', 'http://localhost:81?a=b'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:80/cb'],
    ['http://127.0.0.1:80/cb', 'http://127.0.0.1:5000/cb'],
    ['http://[::1]:80', 'http://[::1]'],
    ['http://127.0.0.1:33418', 'http://127.0.0.1:5000/'],
    ['http://127.0.0.1:33418/', 'http://127.0.0.1:5000'],
    ['http://localhost', 'http://localhost/'],
    ['http://[::1]/', 'http://[::1]:9000'],
    ['http://localhost?a=b', 'http://localhost:81/?a=b'],
    ['http://localhost/?a=b', 'http://localhost?a=b'],
    ['com.example.app:/cb', 'com.example.app:/cb'],
  ])('with the registered %s accepts %s', (registered, requested) => {
    expect(matchRedirectUri(['https://z.example/', registered], requested)).toBe(requested)
  })

  it.each([
    ['https://a.example/cb', 'https://a.example/cb/'],
    ['https://a.example/cb/', 'https://a.example/cb'],
    ['https://a.example/cb', 'https://a.example/cb?x=1'],
    ['https://a.example/cb?x=1', 'https://a.example/cb'],
    ['https://a.example/cb', 'https://a.example/CB'],
    ['https://a.example/cb', 'https://a.example/c%62'],
    ['https://a.example/cb', 'https://a.example:8443/cb'],
    ['https://a.example:8443/cb', 'https://a.example/cb'],
    ['https://a.example/cb', 'https://a.example.evil.example/cb'],
    ['https://a.example/cb', 'https://evil.example/https://a.example/cb'],
    ['https://a.example', 'https://a.example/'],
    ['https://a.example/', 'https://a.example'],
    ['https://localhost:1/cb', 'https://localhost:2/cb'],
    ['https://127.0.0.1:1/cb', 'https://127.0.0.1:2/cb'],
    ['http://localhost/cb', 'http://127.0.0.1/cb'],
    ['http://127.0.0.1/cb', 'http://localhost/cb'],
    ['http://127.0.0.1/cb', 'http://[::1]/cb'],
    ['http://127.0.0.1/cb', 'https://127.0.0.1/cb'],
    ['http://localhost/cb', 'http://localhost:1/other'],
    ['http://localhost/cb', 'http://localhost/cb/'],
    ['http://localhost/', 'http://localhost//'],
    ['http://localhost', 'http://localhost?'],
    ['http://localhost', 'http://localhost.evil.example/'],
    ['com.example.app://h', 'com.example.app://h/'],
    ['http://localhost/cb', 'http://localhost:1@evil.example/cb'],
    ['http://localhost/cb', 'http://localhost:1.evil.example/cb'],
    ['http://localhost/cb', 'http://localhost:123456/cb'],
    ['com.example.app://h:1/cb', 'com.example.app://h:2/cb'],
    ['com.example.app:/cb', 'com.example.app:/cb/'],
    ['https://a.example/*', 'https://a.example/cb'],
  ])('with the registered %s rejects %s', (registered, requested) => {
    verifies('authorization-security/redirect-uris-are-validated')
    verifies('authorization-security-practices/redirect-uri-matches')
    verifies('oauth-2-1-clients/complete-redirect-uris')
    verifies('oauth-2-1-grants/redirect-uri-is-validated')
    verifies('oauth-security-practice/exact-redirect-uris', 'native-apps/complete-redirect-uris')
    expect(matchRedirectUri([registered], requested)).toBeUndefined()
  })
})

describe('describeRedirectUri', () => {
  it.each([
    ['https://a.example/cb', 'https', 'a.example', 'https://a.example'],
    ['https://a.example:8443/cb', 'https', 'a.example:8443', 'https://a.example:8443'],
    ['http://localhost:3118/cb', 'loopback', 'localhost:3118', 'http://localhost:3118'],
    ['http://127.0.0.1/', 'loopback', '127.0.0.1', 'http://127.0.0.1'],
    ['http://[::1]:8080/cb', 'loopback', '[::1]:8080', 'http:'],
    ['cursor://anysphere.cursor-mcp/oauth/callback', 'app', 'cursor:', 'cursor:'],
    ['com.example.app:/cb', 'app', 'com.example.app:', 'com.example.app:'],
  ])('describes %s as %s to %s with the CSP source %s', (uri, kind, target, source) => {
    const matched = matchRedirectUri([uri], uri)
    expect(matched && describeRedirectUri(matched)).toEqual({ kind, target, source })
  })
})

describe('redirect URIs in general', () => {
  const scheme = fc.constantFrom(
    ...['javascript', 'JAVASCRIPT', 'jAvAsCrIpT', 'data', 'Data', 'file', 'blob', 'about', 'ftp'],
    ...['vbscript', 'filesystem', 'view-source', 'ws', 'wss', 'mailto', 'intent', 'tel', 'urn'],
  )
  const rest = fc.string({ unit: 'binary', maxLength: 60 })
  const prefix = fc.constantFrom('', ' ', '\t', '\n', '\u0000', '\u001f', '\ufeff')

  it('with a rejected scheme are rejected in every notation', () => {
    fc.assert(
      fc.property(prefix, scheme, fc.constantFrom(':', ':/', '://', ':///'), rest, (a, b, c, d) => {
        const uri = a + b + c + d
        expect(parseRedirectUri(uri).ok).toBe(false)
        expect(matchRedirectUri([uri], uri)).toBeUndefined()
      }),
      { numRuns: 3000 },
    )
  })
})
