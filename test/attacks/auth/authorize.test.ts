/** Hostile authorization requests: which errors are shown on a page and which are redirected to the client. */
import { beforeAll, describe, expect, it } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { Browser, OWNER } from './browser.ts'
import {
  type Asking,
  authorizeQuery,
  createVerifier,
  REDIRECT,
  type Registered,
  register,
} from './client.ts'
import { serveProtected } from './protected-server.ts'
import { type Answer, errorOf, send } from './send.ts'

const server = serveProtected()
let client: Registered
beforeAll(async () => {
  client = await register(server.issuer)
})

const ask = (changes: Asking, more = ''): Promise<Answer> =>
  send(server.issuer, `/authorize?${authorizeQuery(client.id, createVerifier(), changes)}${more}`)

describe('/authorize shows an error page without a redirect for', () => {
  const shown: readonly (readonly [string, Asking, string?])[] = [
    ['no client', { client_id: undefined }],
    ['an invented client', { client_id: 'made-up' }],
    ['a client id with a NUL', { client_id: 'a\u0000' }],
    ['a client id of 5,000 characters', { client_id: 'a'.repeat(5000) }],
    ['a client id that is script', { client_id: '<script>alert(1)</script>' }],
    ['two clients', {}, '&client_id=other'],
    ['another redirect URI', { redirect_uri: 'https://evil.example/' }],
    ['a longer redirect URI', { redirect_uri: `${REDIRECT}/evil` }],
    ['a redirect URI with a query added', { redirect_uri: `${REDIRECT}?to=evil` }],
    ['a redirect URI with a fragment', { redirect_uri: `${REDIRECT}#evil` }],
    ['a redirect URI in another case', { redirect_uri: 'https://client.example/Callback' }],
    ['a redirect URI with a port', { redirect_uri: 'https://client.example:8443/callback' }],
    [
      'a redirect URI with user information',
      { redirect_uri: 'https://client.example@evil.example/callback' },
    ],
    [
      'a redirect URI with a line break',
      { redirect_uri: `${REDIRECT}\r\nlocation: https://evil.example` },
    ],
    ['a redirect URI that is script', { redirect_uri: 'javascript:alert(1)' }],
    ['two redirect URIs', {}, '&redirect_uri=https%3A%2F%2Fevil.example%2F'],
  ]
  const rows = shown.map(([title, changes, more]) => ({ title, changes, more }))
  it.each(rows)('$title', async ({ changes, more }) => {
    verifies('authorization/status-codes', 'authorization-discovery/client-id')
    verifies('authorization-security/redirect-uris-are-validated')
    verifies('authorization-security/registered-redirect-uris')
    verifies('authorization-security-practices/third-party-redirect-uris')
    verifies('authorization-security-practices/redirect-uri-matches')
    verifies('enterprise-managed-authorization/exact-redirect-uris')
    verifies('oauth-2-1-clients/complete-redirect-uris')
    verifies('oauth-2-1-clients/no-redirect-to-invalid-uris')
    verifies('oauth-2-1-grants/client-id-of-requests', 'oauth-2-1-grants/redirect-uri-is-validated')
    verifies('oauth-2-1-security/server-as-open-redirector')
    verifies('oauth-security-practice/exact-redirect-uris')
    verifies('oauth-security-practice/open-redirectors')
    verifies('oauth-security-practice/sign-in-before-redirect')
    verifies('native-apps/complete-redirect-uris')
    const answer = await ask(changes, more)
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
    expect(answer.body).not.toContain('<script')
    expect(answer.body).not.toContain('evil.example')
  })

  it('a client id with changed last characters', async () => {
    verifies('oauth-2-1-clients/no-redirect-to-invalid-uris')
    const last = client.id.endsWith('A') ? 'B' : 'A'
    const answer = await ask({ client_id: `${client.id.slice(0, -2)}${last}${last}` })
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
  })
})

/** The link with which the person returns the error to the web site of the client. */
function linkOf({ status, headers, body }: Answer): URL {
  expect([status, headers.get('location')]).toEqual([400, null])
  const [, href = ''] = /<a href="([^"]*)"/.exec(body) ?? []
  return new URL(href.replaceAll('&amp;', '&'))
}

describe('/authorize shows a page with a link that returns the error and iss for', () => {
  const redirected: readonly (readonly [string, Asking, string, string?])[] = [
    ['the implicit flow', { response_type: 'token' }, 'unsupported_response_type'],
    ['no response type', { response_type: undefined }, 'invalid_request'],
    ['a hybrid flow', { response_type: 'code id_token' }, 'unsupported_response_type'],
    ['a response in the fragment', { response_mode: 'fragment' }, 'invalid_request'],
    ['no code challenge', { code_challenge: undefined }, 'invalid_request'],
    ['the plain PKCE method', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['no PKCE method', { code_challenge_method: undefined }, 'invalid_request'],
    ['a code challenge that is too short', { code_challenge: 'a' }, 'invalid_request'],
    ['a code challenge with padding', { code_challenge: `${'a'.repeat(43)}=` }, 'invalid_request'],
    ['a repeated code challenge', {}, 'invalid_request', `&code_challenge=${'a'.repeat(43)}`],
    ['a repeated scope', { scope: 'read' }, 'invalid_request', '&scope=write'],
    ['a scope that does not exist', { scope: 'admin' }, 'invalid_scope'],
    ['a scope with a NUL', { scope: 'read\u0000' }, 'invalid_scope'],
    ['a scope with a line break', { scope: 'read\nwrite' }, 'invalid_scope'],
    ['another resource', { resource: 'https://evil.example/mcp' }, 'invalid_target'],
    ['the resource at another port', { resource: 'http://127.0.0.1/mcp' }, 'invalid_target'],
    [
      'two resources',
      { resource: 'https://a.example' },
      'invalid_target',
      '&resource=https%3A%2F%2Fb.example',
    ],
    ['a request object', { request: 'eyJhbGciOiJub25lIn0.e30.' }, 'invalid_request'],
    ['the URL of a request object', { request_uri: 'https://evil.example/r' }, 'invalid_request'],
    ['a state of 5,000 characters', { state: 'a'.repeat(5000) }, 'invalid_request'],
    ['a malformed dpop_jkt', { dpop_jkt: 'x' }, 'invalid_request'],
    ['a repeated state', {}, 'invalid_request', '&state=other'],
    ['a state that is no UTF-8', { state: undefined }, 'invalid_request', '&state=a%FF'],
    [
      'a state with an incomplete UTF-8 character',
      { state: undefined },
      'invalid_request',
      '&state=%F0%9F%98',
    ],
  ]
  const rows = redirected.map(([title, changes, code, more]) => ({ title, changes, code, more }))
  it.each(rows)('$title', async ({ changes, code, more }) => {
    verifies('authorization-security/untrusted-redirects', 'oauth-2-1-grants/response-type')
    verifies('oauth-2-1-grants/unsupported-method', 'oauth-2-1-security/sign-in-before-redirect')
    verifies('oauth-2-0/implicit-grant', 'oauth-security-practice/open-redirectors')
    verifies('pkce/challenge-is-required', { row: 'no code challenge' })
    verifies('pkce/unsupported-method', 'pkce/plain', { row: 'the plain PKCE method' })
    const answer = await ask(changes, more)
    const link = linkOf(answer)
    expect(link.href.startsWith(`${REDIRECT}?`)).toBe(true)
    expect(link.searchParams.get('error')).toBe(code)
    expect(link.searchParams.get('iss')).toBe(server.issuer)
  })

  it('a repeated state, once without a value', async () => {
    const answer = await ask({ state: undefined }, '&state=&state=mine')
    expect(linkOf(answer).searchParams.get('error')).toBe('invalid_request')
  })
})

it.each(['http://127.0.0.1:5000/cb', 'cursor://anysphere.cursor-mcp/oauth/callback'])(
  '/authorize redirects an error to the program at %s',
  async (uri) => {
    verifies('native-apps/redirect-options')
    const program = await register(server.issuer, { redirect_uris: [uri] })
    const changes = { redirect_uri: uri, response_type: 'token' }
    const query = authorizeQuery(program.id, createVerifier(), changes)
    const answer = await send(server.issuer, `/authorize?${query}`)
    expect([answer.status, errorOf(answer)]).toEqual([303, 'unsupported_response_type'])
  },
)

it.each(['client_id', 'state'])('/authorize answers 414 to a %s of 100 KB', async (name) => {
  const answer = await ask({ [name]: 'a'.repeat(100_000) })
  expect(answer.status).toBe(414)
})

it('/authorize returns a state with a genuine U+FFFD unchanged', async () => {
  const state = 'a\ufffdb'
  const browser = new Browser(server.issuer)
  const form = await browser.consent(authorizeQuery(client.id, createVerifier(), { state }))
  const location = (await browser.approve(form, OWNER)).headers.get('location') ?? ''
  expect(new URL(location).searchParams.get('state')).toBe(state)
})

it.each([
  (resource: string) => resource.replace('http:', 'HTTP:'),
  (resource: string) => `${resource}/`,
  (resource: string) => resource.toUpperCase().replace('/MCP', '/mcp'),
])(
  '/authorize accepts a resource with scheme and host in any case and with a trailing slash',
  async (spell) => {
    const resource = spell(`${server.issuer}/mcp`)
    const browser = new Browser(server.issuer)
    const query = authorizeQuery(client.id, createVerifier(), { resource })
    expect((await browser.approve(await browser.consent(query), OWNER)).status).toBe(303)
  },
)

it('/authorize returns a state with markup, NUL, surrogates and line breaks as one parameter', async () => {
  verifies('oauth-2-1-grants/state-is-returned', 'oauth-2-1-security/input-validation')
  const state = `"><script>alert(1)</script>\u0000\r\nset-cookie: a=b\ud83d\ude00&code=evil#x`
  const browser = new Browser(server.issuer)
  const form = await browser.consent(authorizeQuery(client.id, createVerifier(), { state }))
  const answer = await browser.approve(form, OWNER)
  const location = new URL(answer.headers.get('location') ?? '')
  expect(location.searchParams.getAll('state')).toEqual([state])
  expect(location.searchParams.getAll('code')).toHaveLength(1)
  expect(answer.headers.getSetCookie().some((cookie) => cookie.startsWith('a='))).toBe(false)
})

it('the consent page escapes markup in the name and home page of a client', async () => {
  const hostile = await register(server.issuer, {
    client_name: '<script>alert(1)</script>"\'><img src=x onerror=alert(1)>\u202egnp',
    client_uri: 'https://evil.example/"><script>alert(1)</script>',
  })
  const page = await send(
    server.issuer,
    `/authorize?${authorizeQuery(hostile.id, createVerifier())}`,
  )
  expect(page.status).toBe(200)
  expect(page.body).not.toMatch(/<script|<img/)
  expect(page.body).not.toContain('\u202e')
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
})

it('the consent page cannot be framed, cached or read by other origins', async () => {
  verifies('authorization-security-practices/consent-page-framing')
  verifies('oauth-2-1-security/clickjacking', 'oauth-security-practice/clickjacking')
  const page = await ask({})
  expect(page.status).toBe(200)
  expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(page.headers.get('x-frame-options')).toBe('DENY')
  expect(page.headers.get('cache-control')).toBe('no-store')
  expect(page.headers.get('access-control-allow-origin')).toBeNull()
  for (const cookie of page.headers.getSetCookie()) {
    expect(cookie).toMatch(
      /^__Host-[\w-]+=[^;]*; Path=\/; Max-Age=\d+; Secure; HttpOnly; SameSite=Lax$/,
    )
  }
})
