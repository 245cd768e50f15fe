/** Identity assertions of a trusted provider, exchanged for access tokens. */
import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../support/verifies.ts'
import { bodyOf, refusalOf, refusalWith } from '../support/answers.ts'
import type { Fields } from '../support/browser.ts'
import { AuthClient, type ClientHeaders, statusWith } from '../support/client.ts'
import { featuresWith, openDeployment } from '../support/deployment.ts'
import { DpopKey } from '../support/dpop.ts'
import { type AssertionChanges, IdentityProvider, PROVIDER } from '../support/identity-provider.ts'
import { JWT_BEARER, MACHINE, SECRET } from '../support/static-clients.ts'

const MCP = 'https://mcp.example.com/mcp'
const OTHER = 'https://mcp.example.com/other'

async function open() {
  const provider = await IdentityProvider.start()
  const server = openDeployment(
    {
      clients: [MACHINE, { id: 'public', grantTypes: [JWT_BEARER] }],
      features: featuresWith([{ issuer: PROVIDER, jwksUri: `${PROVIDER}/keys` }]),
    },
    { app: { otherPaths: ['/other'] } },
  )
  const machine = new AuthClient(server, 'machine', SECRET)
  const exchange = (
    assertion: string | undefined,
    fields: Fields = {},
    headers: ClientHeaders = {},
  ) => machine.token({ grant_type: JWT_BEARER, assertion, ...fields }, headers)
  return { provider, server, exchange }
}

type Claims = NonNullable<AssertionChanges['claims']>

describe('an identity assertion', () => {
  it('is exchanged for an access token of one hour without a refresh token', async () => {
    verifies('enterprise-managed-authorization/refresh-tokens', 'identity-assertions/granted-scope')
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
    verifies('identity-assertions/grant-parameters')
    const { exchange } = await open()
    expect(await refusalOf(await exchange(assertion))).toEqual(refusalWith('invalid_request'))
  })

  it('is rejected with unauthorized_client from a client that does not authenticate', async () => {
    verifies('jwt-assertions/credentials-beside-a-grant')
    const { provider, server } = await open()
    const assertion = await provider.sign({ claims: { client_id: 'public' } })
    const refused = await new AuthClient(server, 'public').token({
      grant_type: JWT_BEARER,
      assertion,
    })
    expect(await refusalOf(refused)).toEqual(refusalWith('unauthorized_client'))
  })

  it('is exchanged once: a replay is rejected with invalid_grant', async () => {
    verifies('enterprise-managed-authorization/replay')
    verifies('enterprise-managed-authorization/sensitive-assertions')
    const { provider, exchange } = await open()
    const assertion = await provider.sign()
    expect((await exchange(assertion)).status).toBe(200)
    expect(await refusalOf(await exchange(assertion))).toEqual(refusalWith('invalid_grant'))
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

  it('is not part of any telemetry event, accepted or rejected', async () => {
    verifies('enterprise-managed-authorization/no-assertions-in-logs')
    const { provider, server, exchange } = await open()
    const assertions = [await provider.sign(), await provider.sign({ claims: { aud: 'x' } })]
    for (const assertion of assertions) await exchange(assertion)
    const text = JSON.stringify(server.events)
    expect(text).toContain('invalid_grant')
    for (const assertion of assertions) {
      for (const part of assertion.split('.')) expect(text).not.toContain(part)
    }
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
    ['the request has no list of scopes', { scope: 'read' }, '"read"'],
  ]
  it.each(refused)('are rejected with invalid_scope when %s', async (_, claims, scope) => {
    verifies('enterprise-managed-authorization/scopes', 'identity-assertions/scope')
    verifies('jwt-assertions/narrower-scope')
    const { provider, exchange } = await open()
    const answer = await exchange(await provider.sign({ claims }), { scope })
    expect(await refusalOf(answer)).toEqual(refusalWith('invalid_scope'))
  })

  const useless: readonly (readonly [string, Claims, string | undefined])[] = [
    ['it names none that exist', { scope: 'notes' }, undefined],
    ['it names none that exist, and the request one that does', { scope: 'notes' }, 'read'],
    ['it names offline_access alone', { scope: 'offline_access' }, undefined],
    ['it has no list of scopes', { scope: '"read"' }, 'read'],
    ['its list is empty', { scope: '' }, 'read'],
  ]
  it.each(useless)('make it useless here: invalid_grant when %s', async (_, claims, scope) => {
    const { provider, exchange } = await open()
    const answer = await exchange(await provider.sign({ claims }), { scope })
    expect(await refusalOf(answer)).toEqual(refusalWith('invalid_grant'))
  })
})

describe('the resource of an assertion', () => {
  const granted: readonly (readonly [string, Claims, string | undefined, string])[] = [
    ['that of the assertion', { resource: OTHER }, undefined, OTHER],
    ['that of both', { resource: OTHER }, `${OTHER}/`, OTHER],
    ['the only one of a list', { resource: [OTHER] }, undefined, OTHER],
    [
      'the first of a list that is served here',
      { resource: ['https://b.example', OTHER, MCP] },
      undefined,
      OTHER,
    ],
    ['the one of a list that the request names', { resource: [OTHER, MCP] }, MCP, MCP],
    ['that of the request when the assertion has none', {}, OTHER, OTHER],
    ['the first one when neither names any', {}, undefined, MCP],
  ]
  it.each(granted)('is %s', async (_, claims, resource, expected) => {
    verifies('enterprise-managed-authorization/audience-of-the-token')
    verifies('identity-assertions/granted-resource', 'jwt-access-tokens/default-audience')
    const { provider, exchange } = await open()
    const body = await bodyOf(await exchange(await provider.sign({ claims }), { resource }))
    expect(decodeJwt(String(body.access_token)).aud).toBe(expected)
  })

  const refused: readonly (readonly [string, Claims, string | undefined])[] = [
    ['the request names another', { resource: OTHER }, MCP],
    [
      'the request names one that is not in the list',
      { resource: ['https://b.example', OTHER] },
      MCP,
    ],
    ['the request names one that is not served', {}, 'https://evil.example'],
  ]
  it.each(refused)('is rejected with invalid_target when %s', async (_, claims, resource) => {
    verifies('identity-assertions/resource')
    const { provider, exchange } = await open()
    const answer = await exchange(await provider.sign({ claims }), { resource })
    expect(await refusalOf(answer)).toEqual(refusalWith('invalid_target'))
  })

  const foreign: readonly (readonly [string, Claims, string | undefined])[] = [
    ['is not served', { resource: 'https://evil.example' }, undefined],
    ['is not served, and the request names one that is', { resource: 'x' }, MCP],
    ['is a list of which none is served', { resource: ['https://evil.example', 'x'] }, undefined],
    ['is an empty list', { resource: [] }, undefined],
  ]
  it.each(foreign)(
    'makes it useless here: invalid_grant when it %s',
    async (_, claims, resource) => {
      verifies('enterprise-managed-authorization/resource-claim')
      const { provider, exchange } = await open()
      const answer = await exchange(await provider.sign({ claims }), { resource })
      expect(await refusalOf(answer)).toEqual(refusalWith('invalid_grant'))
    },
  )
})

describe('an assertion that is bound to a key', () => {
  const proofs = async () => {
    const [key, thief] = [await DpopKey.create(), await DpopKey.create()]
    const opened = await open()
    const assertion = await opened.provider.sign({ claims: { cnf: { jkt: key.jkt } } })
    return { ...opened, key, thief, assertion }
  }

  it('is exchanged with a proof of that key, for a token that is bound to it', async () => {
    const { exchange, key, assertion } = await proofs()
    const body = await bodyOf(await exchange(assertion, {}, await key.proof()))
    expect(body.token_type).toBe('DPoP')
    expect(decodeJwt(String(body.access_token)).cnf).toEqual({ jkt: key.jkt })
  })

  it('is rejected with invalid_grant without a proof of that key, and not used up', async () => {
    verifies('identity-assertions/bound-assertion')
    verifies('identity-assertions/bound-assertion-without-proof')
    const { exchange, key, thief, assertion } = await proofs()
    const refused = [await exchange(assertion), await exchange(assertion, {}, await thief.proof())]
    for (const answer of refused) {
      expect(await refusalOf(answer)).toEqual(refusalWith('invalid_grant'))
    }
    expect((await exchange(assertion, {}, await key.proof())).status).toBe(200)
  })

  it.each([
    ['names no key', {}],
    ['names its key in another way', { kid: 'key-1' }],
    ['names a key twice', { jkt: 'JKT', kid: 'key-1' }],
    ['is no object', 'JKT'],
  ])('is rejected with invalid_grant when cnf %s', async (_, cnf) => {
    const { provider, exchange, key } = await proofs()
    const text = JSON.stringify({ cnf }).replaceAll('JKT', key.jkt)
    const assertion = await provider.sign({ claims: JSON.parse(text) })
    const answer = await exchange(assertion, {}, await key.proof())
    expect(await refusalOf(answer)).toEqual(refusalWith('invalid_grant'))
  })
})
