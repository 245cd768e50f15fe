/** Access tokens that are not what they seem, and requests that present them in some other way. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { obtainTokens, register, type Tokens } from './client.ts'
import { confused, reworded, signedByOther, unsigned } from './forge.ts'
import { startOutside } from './outside.ts'
import { type ProtectedServer, startProtectedServer } from './protected-server.ts'
import { callWith, statusWith } from './resource.ts'
import { type Answer, JSON_TYPE, send } from './send.ts'

let server: ProtectedServer
let outside: Awaited<ReturnType<typeof startOutside>>
let tokens: Tokens
let publicKey: string
beforeAll(async () => {
  outside = await startOutside()
  server = await startProtectedServer({ egress: outside.url })
  tokens = await obtainTokens(server.issuer, await register(server.issuer), { scope: 'read' })
  const { keys } = JSON.parse((await send(server.issuer, '/.well-known/jwks.json')).body)
  publicKey = JSON.stringify(keys[0])
})
afterAll(async () => {
  await server?.stop()
  await outside?.stop()
})

const present = (token: string) => callWith(server.issuer, [['authorization', `Bearer ${token}`]])

function expectRefused({ status, headers }: Answer, error: string, wanted = 401) {
  expect(status).toBe(wanted)
  expect(headers.get('www-authenticate')).toContain(`error="${error}"`)
}

it('lets the true one in, so that the others are refused for what is wrong with them', async () => {
  expect(await statusWith(server.issuer, tokens.access)).toBe(200)
})

describe('a token is refused with', () => {
  const forgeries: readonly (readonly [string, () => string | Promise<string>])[] = [
    ['alg none', () => unsigned(tokens.access, 'none')],
    ['alg None', () => unsigned(tokens.access, 'None')],
    ['no signature', () => unsigned(tokens.access, 'ES256')],
    ['HS256 over the public key', () => confused(tokens.access, publicKey)],
    ['another algorithm in its header', () => reworded(tokens.access, { alg: 'RS256' }, {})],
    ['a list for an algorithm', () => reworded(tokens.access, { alg: ['ES256'] }, {})],
    ['a key of its own in jwk', () => signedByOther(tokens.access, (jwk) => ({ jwk }))],
    [
      'a key of its own at jku',
      () => signedByOther(tokens.access, () => ({ jku: 'https://evil.example/jwks' })),
    ],
    [
      'a key of its own at x5u',
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
    ['our kid and another key', () => signedByOther(tokens.access, () => ({}))],
    ['another type', () => reworded(tokens.access, { typ: 'JWT' }, {})],
    ['an extension that must be understood', () => reworded(tokens.access, { crit: ['exp'] }, {})],
    ['another subject', () => reworded(tokens.access, {}, { sub: 'guest' })],
    ['another scope', () => reworded(tokens.access, {}, { scope: 'read write' })],
    ['another audience', () => reworded(tokens.access, {}, { aud: 'https://evil.example' })],
    ['a later end', () => reworded(tokens.access, {}, { exp: 9_999_999_999 })],
    ['a refresh token in its place', () => tokens.refresh],
    ['two dots', () => '..'],
    ['nothing but a letter', () => 'a'],
  ]
  it.each(forgeries)('%s', async (_, forge) => {
    expectRefused(await present(await forge()), 'invalid_token')
  })

  it('another resource in mind', async () => {
    const authorization = ['authorization', `Bearer ${tokens.access}`] as const
    expectRefused(await callWith(server.issuer, [authorization], '/other'), 'invalid_token')
  })
})

describe('credentials are refused', () => {
  it('in the query', async () => {
    const path = `/mcp?access_token=${tokens.access}`
    expectRefused(await callWith(server.issuer, [], path), 'invalid_request', 400)
  })
  it('in the query beside a good header', async () => {
    const authorization = ['authorization', `Bearer ${tokens.access}`] as const
    const path = `/mcp?access_token=${tokens.access}`
    expectRefused(await callWith(server.issuer, [authorization], path), 'invalid_request', 400)
  })
  it('in two headers', async () => {
    const both = [
      ['authorization', `Bearer ${tokens.access}`],
      ['authorization', 'Bearer other'],
    ] as const
    expectRefused(await callWith(server.issuer, both), 'invalid_request', 400)
  })
  it('in one header twice', async () => {
    const twice = [['authorization', `Bearer ${tokens.access}, Bearer ${tokens.access}`]] as const
    expectRefused(await callWith(server.issuer, twice), 'invalid_request', 400)
  })
  it.each(['Basic b3duZXI6eA==', 'bearer', 'Bearer', 'Token abc'])(
    'as %s, like none',
    async (text) => {
      const answer = await callWith(server.issuer, [['authorization', text]])
      expect(answer.status).toBe(401)
      expect(answer.headers.get('www-authenticate')).not.toContain('error=')
    },
  )
  it('in a cookie', async () => {
    const cookie = [
      'cookie',
      `__Host-edgeway-login=${tokens.access}; access_token=${tokens.access}`,
    ] as const
    expect((await callWith(server.issuer, [cookie])).status).toBe(401)
  })
  it('of 9,000 characters', async () => {
    expectRefused(await present('a'.repeat(9000)), 'invalid_token')
  })
  it('as DPoP, when they are not bound', async () => {
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
])('serves nobody without a token at %s, by whatever method', async (path) => {
  for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'HEAD']) {
    const body = method === 'POST' ? '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' : undefined
    const sending = { method, headers: [JSON_TYPE], ...(body === undefined ? {} : { body }) }
    expect([401, 404]).toContain((await send(server.issuer, path, sending)).status)
  }
})

it('has asked nobody outside for keys', () => {
  expect(outside.asked).toEqual([])
})
