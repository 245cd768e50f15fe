/** What all paths of authorization share behind real connections: hosts, and the framing of bodies. */
import { describe, expect, it } from 'vitest'
import { Connection } from '../../faults/connection.ts'
import { verifies } from '../../support/verifies.ts'
import { serveProtected } from './protected-server.ts'
import { errorOf, FORM, JSON_TYPE, postForm, send } from './send.ts'

const server = serveProtected()

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

describe.each(['/token', '/revoke', '/introspect'])('%s', (path) => {
  it.each([[[]], [[['transfer-encoding', 'chunked'] as const]]])(
    'rejects a form of 10 MB with the framing %j',
    async (framing) => {
      verifies('token-revocation/guessing')
      const body = `client_id=${'a'.repeat(10 * 1024 * 1024)}`
      const sending = { method: 'POST', headers: [FORM, ...framing], body }
      const answer = await send(server.issuer, path, sending).catch((error) => error.code)
      if (typeof answer === 'object') expect(errorOf(answer)).toBe('invalid_request')
      else expect(['ECONNRESET', 'EPIPE']).toContain(answer)
    },
  )
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
