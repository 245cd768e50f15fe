/** Forged access tokens, and access tokens presented in forbidden ways. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { obtainTokens, register, type Tokens } from './client.ts'
import { startEgressServer } from './egress-server.ts'
import { confused, reworded, signedByOther, unsigned } from './forge.ts'
import { type ProtectedServer, startProtectedServer } from './protected-server.ts'
import { callWith, statusWith } from './resource.ts'
import { type Answer, JSON_TYPE, send } from './send.ts'

let server: ProtectedServer
let egress: Awaited<ReturnType<typeof startEgressServer>>
let tokens: Tokens
let publicKey: string
beforeAll(async () => {
  egress = await startEgressServer()
  server = await startProtectedServer({ egress: egress.url })
  tokens = await obtainTokens(server.issuer, await register(server.issuer), { scope: 'read' })
  const { keys } = JSON.parse((await send(server.issuer, '/.well-known/jwks.json')).body)
  publicKey = JSON.stringify(keys[0])
})
afterAll(async () => {
  await server?.stop()
  await egress?.stop()
})

const present = (token: string) => callWith(server.issuer, [['authorization', `Bearer ${token}`]])

function expectRefused({ status, headers }: Answer, error: string, wanted = 401) {
  expect(status).toBe(wanted)
  expect(headers.get('www-authenticate')).toContain(`error="${error}"`)
}

it('the endpoint accepts the genuine token from which the forged ones are made', async () => {
  expect(await statusWith(server.issuer, tokens.access)).toBe(200)
})

describe('the endpoint rejects an access token with', () => {
  const forgeries: readonly (readonly [string, () => string | Promise<string>])[] = [
    ['alg none', () => unsigned(tokens.access, 'none')],
    ['alg None', () => unsigned(tokens.access, 'None')],
    ['no signature', () => unsigned(tokens.access, 'ES256')],
    ['HS256 over the public key', () => confused(tokens.access, publicKey)],
    ['another algorithm', () => reworded(tokens.access, { alg: 'RS256' }, {})],
    ['a list as its algorithm', () => reworded(tokens.access, { alg: ['ES256'] }, {})],
    ['a key of the attacker in jwk', () => signedByOther(tokens.access, (jwk) => ({ jwk }))],
    [
      'a key set of the attacker in jku',
      () => signedByOther(tokens.access, () => ({ jku: 'https://evil.example/jwks' })),
    ],
    [
      'a certificate of the attacker in x5u',
      () => signedByOther(tokens.access, () => ({ x5u: 'https://evil.example/x5u' })),
    ],
    ['a kid that is a path', () => signedByOther(tokens.access, () => ({ kid: '../../dev/null' }))],
    ['a kid that is SQL', () => signedByOther(tokens.access, () => ({ kid: "' OR 1=1 --" }))],
    [
      'a kid of 4,000 characters',
      () => signedByOther(tokens.access, () => ({ kid: 'a'.repeat(4000) })),
    ],
    ['a kid that is a number', () => reworded(tokens.access, { kid: 1 }, {})],
    ['no kid', () => reworded(tokens.access, { kid: undefined }, {})],
    [
      'a known kid and the signature of another key',
      () => signedByOther(tokens.access, () => ({})),
    ],
    ['another typ', () => reworded(tokens.access, { typ: 'JWT' }, {})],
    ['a critical header', () => reworded(tokens.access, { crit: ['exp'] }, {})],
    ['another subject', () => reworded(tokens.access, {}, { sub: 'guest' })],
    ['another scope', () => reworded(tokens.access, {}, { scope: 'read write' })],
    ['another audience', () => reworded(tokens.access, {}, { aud: 'https://evil.example' })],
    ['a later expiry', () => reworded(tokens.access, {}, { exp: 9_999_999_999 })],
    ['the text of a refresh token', () => tokens.refresh],
    ['two dots as its text', () => '..'],
    ['one letter as its text', () => 'a'],
  ]
  it.each(forgeries)('%s', async (_, forge) => {
    verifies('authorization/tokens-are-validated', 'authorization/refusals-follow-oauth')
    verifies('enterprise-managed-authorization/access-tokens-are-validated')
    verifies('oauth-2-1-clients/tokens-cannot-be-forged', 'oauth-2-1-resource-requests/challenge')
    verifies('bearer-tokens/integrity', 'jwt-access-tokens/signature-is-checked')
    verifies('jwt-access-tokens/no-algorithm-none', { row: 'alg none' })
    expectRefused(await present(await forge()), 'invalid_token')
  })

  it('the audience of another resource', async () => {
    verifies('authorization/audience-is-validated', 'authorization/own-tokens-only')
    verifies('authorization-security-practices/token-passthrough')
    verifies('oauth-2-1-security/audience-of-tokens')
    verifies('oauth-security-practice/audience-restriction')
    verifies('jwt-access-tokens/audience-is-checked')
    const authorization = ['authorization', `Bearer ${tokens.access}`] as const
    expectRefused(await callWith(server.issuer, [authorization], '/other'), 'invalid_token')
  })
})

describe('the endpoint rejects credentials', () => {
  it('in the query', async () => {
    verifies('authorization/no-token-in-query', 'authorization/status-codes')
    verifies('oauth-2-1-resource-requests/tokens-in-queries')
    verifies('oauth-2-1-security/no-tokens-in-urls', 'oauth-security-practice/tokens-in-queries')
    const path = `/mcp?access_token=${tokens.access}`
    expectRefused(await callWith(server.issuer, [], path), 'invalid_request', 400)
  })
  it('in the query beside a valid header', async () => {
    verifies('oauth-2-1-resource-requests/one-way-to-send-a-token')
    verifies('oauth-2-1-resource-requests/tokens-in-queries', 'bearer-tokens/one-method')
    const authorization = ['authorization', `Bearer ${tokens.access}`] as const
    const path = `/mcp?access_token=${tokens.access}`
    expectRefused(await callWith(server.issuer, [authorization], path), 'invalid_request', 400)
  })
  it('in two headers', async () => {
    verifies('oauth-2-1-resource-requests/one-way-to-send-a-token', 'bearer-tokens/one-method')
    const both = [
      ['authorization', `Bearer ${tokens.access}`],
      ['authorization', 'Bearer other'],
    ] as const
    expectRefused(await callWith(server.issuer, both), 'invalid_request', 400)
  })
  it('repeated in one header', async () => {
    const twice = [['authorization', `Bearer ${tokens.access}, Bearer ${tokens.access}`]] as const
    expectRefused(await callWith(server.issuer, twice), 'invalid_request', 400)
  })
  it.each(['Basic b3duZXI6eA==', 'bearer', 'Bearer', 'Token abc'])(
    'of the form %s as if there were none',
    async (text) => {
      const answer = await callWith(server.issuer, [['authorization', text]])
      expect(answer.status).toBe(401)
      expect(answer.headers.get('www-authenticate')).not.toContain('error=')
    },
  )
  it('in a cookie', async () => {
    verifies('authorization/authorization-header', 'oauth-2-1-security/no-tokens-in-cookies')
    verifies('bearer-tokens/cookies')
    const cookie = [
      'cookie',
      `__Host-edgeway-login=${tokens.access}; access_token=${tokens.access}`,
    ] as const
    expect((await callWith(server.issuer, [cookie])).status).toBe(401)
  })
  it('of 9,000 characters', async () => {
    verifies('oauth-2-1-security/guessing')
    expectRefused(await present('a'.repeat(9000)), 'invalid_token')
  })
  it('with the scheme DPoP when the token is not bound', async () => {
    const answer = await callWith(server.issuer, [['authorization', `DPoP ${tokens.access}`]])
    expect(answer.status).toBe(401)
  })
})

it.each([
  '/mcp',
  '/mcp/',
  '/other',
  '/sse',
  '/messages',
  '//mcp',
  '/%6dcp',
  '/mcp%2f',
  '/MCP',
  '/./mcp',
])('%s answers 401 or 404 to every method without a token', async (path) => {
  verifies('authorization/401-without-authorization')
  verifies('authorization/authorization-in-every-request')
  verifies('authorization-security/no-data-without-token')
  verifies('authorization-security-practices/sessions-verify-requests')
  for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'HEAD']) {
    const body = method === 'POST' ? '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' : undefined
    const sending = { method, headers: [JSON_TYPE], ...(body === undefined ? {} : { body }) }
    expect([401, 404]).toContain((await send(server.issuer, path, sending)).status)
  }
})

it('the Worker has fetched no key that a forged token names', () => {
  expect(egress.requestedUrls).toEqual([])
})
