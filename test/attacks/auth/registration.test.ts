/** Hostile client registrations and the error of each. */
import { describe, expect, it } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { serveProtected } from './protected-server.ts'
import { errorOf, JSON_TYPE, postForm, postJson, type Sending, send } from './send.ts'

const server = serveProtected()

const redirects = (...redirect_uris: unknown[]) => ({ redirect_uris })
const good = (more: object) => ({ redirect_uris: ['https://client.example/cb'], ...more })

const REFUSED: readonly (readonly [string, unknown, string])[] = [
  ['no redirect URI', {}, 'invalid_redirect_uri'],
  ['an empty list of redirect URIs', redirects(), 'invalid_redirect_uri'],
  [
    'redirect URIs that are no list',
    { redirect_uris: 'https://a.example' },
    'invalid_redirect_uri',
  ],
  ['a redirect URI that is a number', redirects(1), 'invalid_redirect_uri'],
  [
    'eleven redirect URIs',
    redirects(...Array.from({ length: 11 }, (_, at) => `https://a.example/${at}`)),
    'invalid_redirect_uri',
  ],
  ['javascript:', redirects('javascript:alert(1)'), 'invalid_redirect_uri'],
  ['JavaScript: in another case', redirects('JaVaScRiPt:/alert(1)'), 'invalid_redirect_uri'],
  ['javascript: behind a tab', redirects('java\tscript:/alert(1)'), 'invalid_redirect_uri'],
  ['data:', redirects('data:text/html,<script>alert(1)</script>'), 'invalid_redirect_uri'],
  ['file:', redirects('file:///etc/passwd'), 'invalid_redirect_uri'],
  ['http: to another host', redirects('http://client.example/cb'), 'invalid_redirect_uri'],
  [
    'http: to a look-alike of loopback',
    redirects('http://127.0.0.1.evil.example/cb'),
    'invalid_redirect_uri',
  ],
  ['http: to loopback in decimal', redirects('http://2130706433/cb'), 'invalid_redirect_uri'],
  ['a fragment', redirects('https://client.example/cb#'), 'invalid_redirect_uri'],
  ['a wildcard', redirects('https://*.client.example/cb'), 'invalid_redirect_uri'],
  ['user information', redirects('https://client.example@evil.example/cb'), 'invalid_redirect_uri'],
  ['a backslash', redirects('https://client.example\\@evil.example/cb'), 'invalid_redirect_uri'],
  [
    'an encoded line break',
    redirects('https://client.example/%0d%0aset-cookie:a'),
    'invalid_redirect_uri',
  ],
  ['a NUL', redirects('https://client.example/\u0000'), 'invalid_redirect_uri'],
  ['dot segments', redirects('https://client.example/a/../cb'), 'invalid_redirect_uri'],
  [
    'a quote that would end a policy',
    redirects("https://client.example;script-src 'x'/cb"),
    'invalid_redirect_uri',
  ],
  ['a relative redirect URI', redirects('//evil.example/cb'), 'invalid_redirect_uri'],
  ['an object as its name', good({ client_name: { toString: 'x' } }), 'invalid_client_metadata'],
  [
    'an unknown authentication method',
    good({ token_endpoint_auth_method: 'tls_client_auth' }),
    'invalid_client_metadata',
  ],
  [
    'client credentials alone',
    good({ grant_types: ['client_credentials'] }),
    'invalid_client_metadata',
  ],
  ['the implicit response type', good({ response_types: ['token'] }), 'invalid_client_metadata'],
  ['a scope with a quote', good({ scope: 'read"' }), 'invalid_client_metadata'],
  [
    'keys at a private address',
    good({
      token_endpoint_auth_method: 'private_key_jwt',
      jwks_uri: 'https://169.254.169.254/keys',
    }),
    'invalid_client_metadata',
  ],
  [
    'keys over http',
    good({ token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'http://client.example/keys' }),
    'invalid_client_metadata',
  ],
  [
    'a symmetric key',
    good({
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [{ kty: 'oct', k: 'AA' }] },
    }),
    'invalid_client_metadata',
  ],
  [
    'metadata that exceeds the size of an id',
    redirects(
      ...Array.from({ length: 10 }, (_, at) => `https://a.example/${at}${'a'.repeat(2000)}`),
    ),
    'invalid_client_metadata',
  ],
  ['a list', [], 'invalid_client_metadata'],
  ['null', null, 'invalid_client_metadata'],
  ['incomplete JSON', '{"redirect_uris":[', 'invalid_client_metadata'],
  ['60,000 brackets', '['.repeat(60_000), 'invalid_client_metadata'],
]

describe('/register rejects', () => {
  it.each(REFUSED)('%s', async (_, body, code) => {
    verifies('authorization-security/https-redirect-uris')
    verifies('oauth-security-practice/encrypted-responses')
    verifies('oauth-security-practice/plain-http-redirects')
    verifies('dynamic-client-registration/redirect-uris-are-registered')
    verifies('dynamic-client-registration/redirect-uris-are-checked')
    const answer = await postJson(server.issuer, '/register', body)
    expect([answer.status, errorOf(answer)]).toEqual([400, code])
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
  })

  it('a form instead of JSON', async () => {
    verifies('dynamic-client-registration/post-of-json')
    const answer = await postForm(server.issuer, '/register', 'redirect_uris=https://a.example')
    expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_client_metadata'])
  })

  const bodies: readonly (readonly [string, Sending['headers']])[] = [
    ['10 MB with Content-Length', [JSON_TYPE]],
    ['10 MB with chunked encoding', [JSON_TYPE, ['transfer-encoding', 'chunked']]],
  ]
  it.each(bodies)('%s', async (_, headers) => {
    const body = JSON.stringify(good({ client_name: 'a'.repeat(10 * 1024 * 1024) }))
    const answer = await send(server.issuer, '/register', { method: 'POST', headers, body }).catch(
      // The server may close the connection before it has read the body.
      (error: NodeJS.ErrnoException) => error.code,
    )
    if (typeof answer === 'object') expect(answer.status).toBe(413)
    else expect(['ECONNRESET', 'EPIPE']).toContain(answer)
  })
})

it('/register ignores a __proto__ member', async () => {
  const body =
    '{"__proto__":{"redirect_uris":["https://evil.example/"]},"redirect_uris":["https://a.example/"]}'
  const answer = await postJson(server.issuer, '/register', body)
  expect(answer.status).toBe(201)
  expect(JSON.parse(answer.body).redirect_uris).toEqual(['https://a.example/'])
})
