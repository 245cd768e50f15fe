/** The checks that all paths of authorization share: methods, origins, hosts and bodies. */
import { describe, expect, it } from 'vitest'
import { Connection } from '../../faults/connection.ts'
import { verifies } from '../../support/verifies.ts'
import { serveProtected } from './protected-server.ts'
import { errorOf, FORM, JSON_TYPE, postForm, postJson, send } from './send.ts'

const server = serveProtected()

const PAGES = [
  ['/authorize', 'GET'],
  ['/authorize/decision', 'POST'],
  ['/authorize/callback', 'GET'],
  ['/account', 'GET'],
  ['/account/disconnect', 'POST'],
  ['/login', 'POST'],
  ['/logout', 'POST'],
] as const
const APIS = [
  ['/register', 'POST'],
  ['/token', 'POST'],
  ['/revoke', 'POST'],
  ['/introspect', 'POST'],
  ['/.well-known/jwks.json', 'GET'],
  ['/.well-known/oauth-authorization-server', 'GET'],
  ['/.well-known/openid-configuration', 'GET'],
] as const
const EVIL = ['origin', 'https://evil.example'] as const

describe.each([...PAGES, ...APIS])('%s', (path, method) => {
  it.each(['PUT', 'DELETE', 'PATCH', method === 'GET' ? 'POST' : 'GET'])(
    'answers 405 with Allow to %s',
    async (other) => {
      verifies('oauth-2-1-endpoints/token-endpoint-post')
      const answer = await send(server.issuer, path, { method: other, headers: [EVIL] })
      expect(answer.status).toBe(405)
      expect(answer.headers.get('allow')?.split(', ')).toContain(method)
    },
  )
})

it.each(PAGES)('%s sends no CORS headers', async (path) => {
  verifies('oauth-2-1-endpoints/no-cors-at-authorization')
  verifies('oauth-security-practice/no-cors-at-authorization')
  for (const method of ['OPTIONS', 'GET', 'POST', 'HEAD']) {
    const { headers } = await send(server.issuer, path, { method, headers: [EVIL] })
    expect(headers.get('access-control-allow-origin')).toBeNull()
  }
})

it.each(APIS)('%s allows all origins without credentials', async (path) => {
  for (const method of ['OPTIONS', 'GET', 'POST', 'HEAD']) {
    const { headers } = await send(server.issuer, path, { method, headers: [EVIL] })
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-allow-credentials')).toBeNull()
  }
})

const DOCUMENTS = [
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-protected-resource/mcp',
  '/.well-known/oauth-protected-resource/other',
  '/.well-known/oauth-protected-resource/sse',
]
const FORWARDED = [
  ['x-forwarded-host', 'evil.example'],
  ['x-forwarded-proto', 'https'],
  ['x-forwarded-prefix', '/evil'],
  ['forwarded', 'host=evil.example;proto=https'],
  ['x-original-url', '/evil'],
  ['x-host', 'evil.example'],
] as const

it.each(DOCUMENTS)('%s is the same for any Host and forwarding headers', async (path) => {
  verifies('oauth-security-practice/trusted-proxy-headers')
  const plain = await send(server.issuer, path)
  const forwarded = await send(server.issuer, path, {
    headers: [['host', 'localhost:1'], ...FORWARDED],
  })
  expect([forwarded.status, forwarded.body]).toEqual([200, plain.body])
  expect(forwarded.body).not.toContain('evil')
})

it('the challenge names the configured metadata URL for any Host and forwarding headers', async () => {
  verifies('oauth-security-practice/trusted-proxy-headers')
  const headers = [['host', 'localhost:1'], ...FORWARDED, JSON_TYPE] as const
  const answer = await send(server.issuer, '/mcp', { method: 'POST', headers, body: '{}' })
  expect(answer.status).toBe(401)
  expect(answer.headers.get('www-authenticate')).toContain(
    `resource_metadata="${server.issuer}/.well-known/oauth-protected-resource/mcp"`,
  )
})

describe('a host that is not served', () => {
  it.each([...DOCUMENTS, '/authorize', '/token', '/account', '/mcp'])(
    'is rejected with 403 at %s',
    async (path) => {
      verifies('authorization-security/communication-security')
      verifies('authorization-security/https-endpoints', 'enterprise-managed-authorization/tls')
      verifies('enterprise-managed-authorization/insecure-channels')
      verifies('enterprise-managed-authorization/codes', 'oauth-2-1-clients/bearer-confidentiality')
      verifies('oauth-2-1-clients/secure-transport', 'oauth-2-0/tls-for-secrets')
      verifies('authorization-server-metadata/tls', 'dynamic-client-registration/tls')
      verifies('token-revocation/tls', 'token-introspection/tls')
      const answer = await send(server.issuer, path, { headers: [['host', 'evil.example']] })
      expect(answer.status).toBe(403)
    },
  )

  it.each(['[', 'a b', '::'])(
    'is rejected with a 4xx status when it is the malformed text %s',
    async (host) => {
      const answer = await send(server.issuer, '/token', { headers: [['host', host]] })
      expect(answer.status).toBeGreaterThanOrEqual(400)
      expect(answer.status).toBeLessThan(500)
    },
  )
})

const FORMS = ['/token', '/revoke', '/introspect']

describe.each(FORMS)('%s rejects', (path) => {
  it('JSON instead of a form', async () => {
    const answer = await postJson(server.issuer, path, { grant_type: 'refresh_token' })
    expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_request'])
  })
  it('a multipart form', async () => {
    const headers = [['content-type', 'multipart/form-data; boundary=a']] as const
    const answer = await send(server.issuer, path, { method: 'POST', headers, body: '--a--' })
    expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_request'])
  })
  it('a form without a content type', async () => {
    const answer = await send(server.issuer, path, { method: 'POST', body: 'token=a' })
    expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_request'])
  })
  it.each([
    'client_id=a&client_id=b',
    'token=a&token=b&client_id=c',
    'grant_type=a&grant_type=a',
    'scope=&scope=read',
  ])('a repeated parameter in %s', async (body) => {
    verifies('oauth-2-1-endpoints/repeated-parameters-of-tokens')
    const answer = await postForm(server.issuer, path, body)
    expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_request'])
    expect(answer.body).toContain('more than once')
  })
  it('bytes that are no UTF-8', async () => {
    const body = new Uint8Array([0x61, 0x3d, 0xff, 0xfe])
    const answer = await send(server.issuer, path, { method: 'POST', headers: [FORM], body })
    expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_request'])
  })
  it.each([[[]], [[['transfer-encoding', 'chunked'] as const]]])(
    '10 MB with the framing %j',
    async (framing) => {
      verifies('token-revocation/guessing')
      const body = `client_id=${'a'.repeat(10 * 1024 * 1024)}`
      const sending = { method: 'POST', headers: [FORM, ...framing], body }
      const answer = await send(server.issuer, path, sending).catch((error) => error.code)
      if (typeof answer === 'object') expect(errorOf(answer)).toBe('invalid_request')
      else expect(['ECONNRESET', 'EPIPE']).toContain(answer)
    },
  )
  it('an empty form', async () => {
    const answer = await postForm(server.issuer, path, '')
    expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_request'])
  })
})

it('/token serves other requests while twenty bodies never end', async () => {
  const slow = await Promise.all(Array.from({ length: 20 }, () => Connection.open(server.issuer)))
  try {
    for (const connection of slow) {
      const head = `POST /token HTTP/1.1\r\nhost: ${new URL(server.issuer).host}\r\n`
      await connection.write(`${head}${FORM.join(': ')}\r\ncontent-length: 100\r\n\r\ng`)
      await connection.write('r')
    }
    const answer = await postForm(server.issuer, '/token', 'grant_type=password')
    expect([answer.status, errorOf(answer)]).toEqual([400, 'unsupported_grant_type'])
  } finally {
    for (const connection of slow) connection.close('reset')
  }
})
