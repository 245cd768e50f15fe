/** The resource that a token is for, at every endpoint that reads the parameter. */
// features: sessions
import { describe, expect, it } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { bodyOf, errorWith, linkedErrorOf, refusalOf, refusalWith } from './support/answers.ts'
import { Browser, encodeForm } from './support/browser.ts'
import { AuthClient, statusWith, tokensOf, VERIFIER } from './support/client.ts'
import { ORIGIN, openDeployment } from './support/deployment.ts'
import { MACHINE, SECRET } from './support/static-clients.ts'

const open = () =>
  openDeployment(
    { aliases: ['https://old.example.com/mcp'], clients: [MACHINE] },
    { app: { otherPaths: ['/other'] } },
  )

const MCP = 'https://mcp.example.com/mcp'
const OTHER = 'https://mcp.example.com/other'

describe('the authorization endpoint', () => {
  it.each([
    ['no resource', undefined, MCP],
    ['an empty resource', '', MCP],
    ['the first resource', MCP, MCP],
    ['the first resource with a trailing slash', 'https://mcp.example.com/mcp/', MCP],
    ['the first resource with the host in upper case', 'HTTPS://MCP.EXAMPLE.COM/mcp', MCP],
    ['another resource', OTHER, OTHER],
    ['an alias', 'https://old.example.com/mcp', MCP],
    ['an alias with a trailing slash', 'https://old.example.com/mcp/', MCP],
    ['the address of the older transport', 'https://mcp.example.com/sse', MCP],
    ['the origin', 'https://mcp.example.com', MCP],
    ['the origin with a trailing slash', 'https://mcp.example.com/', MCP],
  ])('grants a token for a request that names %s', async (_, resource, granted) => {
    verifies('jwt-access-tokens/default-audience')
    const server = open()
    const client = await AuthClient.register(server)
    const { access } = await client.tokens({ resource })
    expect(await statusWith(server, access, granted)).toBe(200)
    expect(await statusWith(server, access, granted === MCP ? OTHER : MCP)).toBe(401)
  })

  it.each([
    ['a path that is not served', 'https://mcp.example.com/nothing'],
    ['a path below the endpoint', 'https://mcp.example.com/mcp/x'],
    ['the path in another case', 'https://mcp.example.com/MCP'],
    ['another origin', 'https://evil.example/mcp'],
    ['another port', 'https://mcp.example.com:8443/mcp'],
    ['plain http', 'http://mcp.example.com/mcp'],
    ['a query', 'https://mcp.example.com/mcp?x=1'],
    ['a fragment', 'https://mcp.example.com/mcp#x'],
    ['a text that is no URL', 'mcp'],
  ])('refuses a resource with %s with invalid_target', async (_, resource) => {
    verifies('resource-indicators/absolute-uri', { row: 'a text that is no URL' })
    verifies('resource-indicators/no-fragment', { row: 'a fragment' })
    const client = await AuthClient.register(open())
    expect(linkedErrorOf(await client.authorize(undefined, { resource }))).toEqual(
      errorWith('invalid_target'),
    )
  })

  it('refuses a request with two resources with invalid_target', async () => {
    verifies('jwt-access-tokens/ambiguous-tokens')
    const server = open()
    const path = (await AuthClient.register(server)).authorizePath({ resource: MCP })
    const page = await new Browser(server).get(`${path}&resource=${encodeURIComponent(OTHER)}`)
    expect(linkedErrorOf(page)).toEqual(errorWith('invalid_target'))
  })
})

describe('the token endpoint, when a code is redeemed', () => {
  it.each([
    ['the resource of the code', OTHER],
    ['that resource with a trailing slash', 'https://mcp.example.com/other/'],
    ['no resource', undefined],
  ])('accepts %s', async (_, resource) => {
    const client = await AuthClient.register(open())
    const code = await client.code({ resource: OTHER })
    expect(await bodyOf(await client.redeem(code, { resource }))).toMatchObject({
      token_type: 'Bearer',
    })
  })

  it.each([
    ['another resource than that of the code', MCP],
    ['a resource that is not served', 'https://evil.example/mcp'],
  ])('rejects %s with invalid_target and does not spend the code', async (_, resource) => {
    verifies('resource-indicators/absolute-uri')
    const client = await AuthClient.register(open())
    const code = await client.code({ resource: OTHER })
    expect(await refusalOf(await client.redeem(code, { resource }))).toEqual(
      refusalWith('invalid_target'),
    )
    expect((await client.redeem(code)).status).toBe(200)
  })
})

describe('the token endpoint, for a request with two resources', () => {
  it.each([
    ['different', OTHER],
    ['equal', MCP],
  ])(
    'that are %s, rejects it with invalid_target and does not spend the code',
    async (_, other) => {
      const server = open()
      const client = await AuthClient.register(server)
      const code = await client.code({ resource: MCP })
      const grant = { grant_type: 'authorization_code', code, code_verifier: VERIFIER }
      const body = encodeForm({ client_id: client.id, ...grant, resource: MCP })
      const refused = await server.fetch(`${ORIGIN}/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: `${body}&${encodeForm({ resource: other })}`,
      })
      expect(await refusalOf(refused)).toEqual(refusalWith('invalid_target'))
      expect((await client.redeem(code)).status).toBe(200)
    },
  )
})

describe('the token endpoint, when a token is refreshed', () => {
  it.each([
    ['another resource than that of the grant', MCP],
    ['a resource that is not served', 'https://evil.example/mcp'],
  ])('rejects %s with invalid_target and does not spend the token', async (_, resource) => {
    verifies('oauth-2-1-endpoints/refresh-tokens-keep-scope-and-resource')
    verifies('oauth-security-practice/refresh-tokens-keep-scope')
    verifies('resource-indicators/absolute-uri')
    const client = await AuthClient.register(open())
    const { refresh } = await client.tokens({ resource: OTHER })
    expect(await refusalOf(await client.refresh(refresh, { resource }))).toEqual(
      refusalWith('invalid_target'),
    )
    expect((await client.refresh(refresh, { resource: OTHER })).status).toBe(200)
  })
})

describe('the token endpoint, for client credentials', () => {
  const credentials = { grant_type: 'client_credentials' }

  it('grants a token for the resource that the client names', async () => {
    const server = open()
    const machine = new AuthClient(server, 'machine', SECRET)
    const { access } = await tokensOf(await machine.token({ ...credentials, resource: OTHER }))
    expect(await statusWith(server, access, OTHER)).toBe(200)
    expect(await statusWith(server, access, MCP)).toBe(401)
  })

  it('rejects a resource that is not served with invalid_target', async () => {
    verifies('resource-indicators/absolute-uri')
    const machine = new AuthClient(open(), 'machine', SECRET)
    const refused = await machine.token({ ...credentials, resource: 'https://evil.example/mcp' })
    expect(await refusalOf(refused)).toEqual(refusalWith('invalid_target'))
  })
})
