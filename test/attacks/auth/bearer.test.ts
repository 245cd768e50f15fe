/** Requests without a token on every path, and access tokens that name a key of the attacker. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { obtainTokens, register } from '../../support/node/oauth-client.ts'
import { verifies } from '../../support/verifies.ts'
import { startEgressServer } from './egress-server.ts'
import { signedByOther } from './forge.ts'
import { type ProtectedServer, startProtectedServer } from './protected-server.ts'
import { statusWith } from './resource.ts'
import { JSON_TYPE, send } from './send.ts'

let server: ProtectedServer
let egress: Awaited<ReturnType<typeof startEgressServer>>
beforeAll(async () => {
  egress = await startEgressServer()
  server = await startProtectedServer({ egress: egress.url })
})
afterAll(async () => {
  await server?.stop()
  await egress?.stop()
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

it('the Worker fetches no key that an access token names', async () => {
  const client = await register(server.issuer)
  const { access } = await obtainTokens(server.issuer, client, { scope: 'read' })
  expect(await statusWith(server.issuer, access)).toBe(200)
  for (const name of ['jku', 'x5u', 'kid']) {
    const forged = await signedByOther(access, { [name]: 'https://evil.example/keys' })
    expect(await statusWith(server.issuer, forged)).toBe(401)
  }
  expect(egress.requestedUrls).toEqual([])
})
