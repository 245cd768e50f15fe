/** Identity assertions of a trusted provider, exchanged for access tokens. */
import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import { bodyOf, refusalOf } from '../support/answers.ts'
import type { Fields } from '../support/browser.ts'
import { AuthClient, statusWith } from '../support/client.ts'
import { openDeployment } from '../support/deployment.ts'
import { type AssertionChanges, IdentityProvider, PROVIDER } from '../support/identity-provider.ts'
import { JWT_BEARER, MACHINE, SECRET } from '../support/static-clients.ts'

const MCP = 'https://mcp.example.com/mcp'
const OTHER = 'https://mcp.example.com/other'

async function open() {
  const provider = await IdentityProvider.start()
  const server = openDeployment(
    {
      clients: [MACHINE, { id: 'public', grantTypes: [JWT_BEARER] }],
      trustedProviders: [{ issuer: PROVIDER, jwksUri: `${PROVIDER}/keys` }],
    },
    { app: { otherPaths: ['/other'] } },
  )
  const machine = new AuthClient(server, 'machine', SECRET)
  const exchange = (assertion: string | undefined, fields: Fields = {}) =>
    machine.token({ grant_type: JWT_BEARER, assertion, ...fields })
  return { provider, server, exchange }
}

type Claims = NonNullable<AssertionChanges['claims']>

describe('an identity assertion', () => {
  it('is exchanged for an access token of one hour without a refresh token', async () => {
    const { provider, server, exchange } = await open()
    const body = await bodyOf(await exchange(await provider.sign()))
    expect(body).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'read write',
    })
    const token = String(body.access_token)
    expect(decodeJwt(token)).toMatchObject({
      sub: 'https://idp.example.com#ada',
      client_id: 'machine',
      aud: MCP,
    })
    expect(await statusWith(server, token)).toBe(200)
  })

  it.each([
    ['without an assertion', undefined],
    ['with an empty assertion', ''],
  ])('is required: a request %s is rejected with invalid_request', async (_, assertion) => {
    const { exchange } = await open()
    expect(await refusalOf(await exchange(assertion))).toEqual({
      status: 400,
      error: 'invalid_request',
    })
  })

  it('is rejected with unauthorized_client from a client that does not authenticate', async () => {
    const { provider, server } = await open()
    const assertion = await provider.sign({ claims: { client_id: 'public' } })
    const refused = await new AuthClient(server, 'public').token({
      grant_type: JWT_BEARER,
      assertion,
    })
    expect(await refusalOf(refused)).toEqual({ status: 400, error: 'unauthorized_client' })
  })

  it('is exchanged once: a replay is rejected with invalid_grant', async () => {
    const { provider, exchange } = await open()
    const assertion = await provider.sign()
    expect((await exchange(assertion)).status).toBe(200)
    expect(await refusalOf(await exchange(assertion))).toEqual({
      status: 400,
      error: 'invalid_grant',
    })
  })

  it('is exchanged once when it is sent twice at the same time', async () => {
    const { provider, exchange } = await open()
    const assertion = await provider.sign()
    const answers = await Promise.all([exchange(assertion), exchange(assertion)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
  })

  it('is not used up by a request that is rejected', async () => {
    const { provider, exchange } = await open()
    const assertion = await provider.sign({ claims: { scope: 'read' } })
    expect((await exchange(assertion, { scope: 'write' })).status).toBe(400)
    expect((await exchange(assertion, { resource: 'https://evil.example/' })).status).toBe(400)
    expect((await exchange(assertion)).status).toBe(200)
  })
})

describe('the scopes of an assertion', () => {
  const granted: readonly (readonly [string, Claims, string | undefined, string])[] = [
    ['those of the assertion', { scope: 'read' }, undefined, 'read'],
    ['those of the request that the assertion allows', { scope: 'read x' }, 'read write', 'read'],
    ['those of the request when the assertion has none', {}, 'write', 'write'],
    ['the initial ones when neither has any', {}, undefined, 'read write'],
  ]
  it.each(granted)('are %s', async (_, claims, scope, expected) => {
    const { provider, exchange } = await open()
    const body = await bodyOf(await exchange(await provider.sign({ claims }), { scope }))
    expect(body.scope).toBe(expected)
  })

  const refused: readonly (readonly [string, Claims, string | undefined])[] = [
    ['the request asks for others', { scope: 'read' }, 'write'],
    ['the assertion names none that exist', { scope: 'notes' }, undefined],
    ['the assertion has no list of scopes', { scope: '"read"' }, 'read'],
    ['the request has no list of scopes', { scope: 'read' }, '"read"'],
  ]
  it.each(refused)('are rejected with invalid_scope when %s', async (_, claims, scope) => {
    const { provider, exchange } = await open()
    const answer = await exchange(await provider.sign({ claims }), { scope })
    expect(await refusalOf(answer)).toEqual({ status: 400, error: 'invalid_scope' })
  })
})

describe('the resource of an assertion', () => {
  const granted: readonly (readonly [string, Claims, string | undefined, string])[] = [
    ['that of the assertion', { resource: OTHER }, undefined, OTHER],
    ['that of both', { resource: OTHER }, `${OTHER}/`, OTHER],
    ['that of the request when the assertion has none', {}, OTHER, OTHER],
    ['the first one when neither names any', {}, undefined, MCP],
  ]
  it.each(granted)('is %s', async (_, claims, resource, expected) => {
    const { provider, exchange } = await open()
    const body = await bodyOf(await exchange(await provider.sign({ claims }), { resource }))
    expect(decodeJwt(String(body.access_token)).aud).toBe(expected)
  })

  const refused: readonly (readonly [string, Claims, string | undefined])[] = [
    ['the request names another', { resource: OTHER }, MCP],
    ['the assertion names one that is not served', { resource: 'https://evil.example' }, undefined],
    ['the assertion names one that is not served, the request one that is', { resource: 'x' }, MCP],
    ['the request names one that is not served', {}, 'https://evil.example'],
  ]
  it.each(refused)('is rejected with invalid_target when %s', async (_, claims, resource) => {
    const { provider, exchange } = await open()
    const answer = await exchange(await provider.sign({ claims }), { resource })
    expect(await refusalOf(answer)).toEqual({ status: 400, error: 'invalid_target' })
  })
})
