/** Identity assertions of a trusted provider, exchanged for access tokens: for which scopes, resources and people. */
import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import type {
  EmbeddedOptions,
  KnownPerson,
  TrustedProviderOptions,
} from '../../../../src/auth/index.ts'
import { verifies } from '../../../support/verifies.ts'
import { bodyOf, reasonsOf } from '../support/answers.ts'
import type { Fields } from '../support/browser.ts'
import { AuthClient, type ClientHeaders, statusWith } from '../support/client.ts'
import { featuresWith, openDeployment } from '../support/deployment.ts'
import { DpopKey } from '../support/dpop.ts'
import { expectRefusal, responseText } from '../support/flow.ts'
import { type AssertionChanges, IdentityProvider, PROVIDER } from '../support/identity-provider.ts'
import { JWT_BEARER, MACHINE, SECRET } from '../support/static-clients.ts'

const MCP = 'https://mcp.example.com/mcp'
const OTHER = 'https://mcp.example.com/other'
const EVIL = 'https://evil.example'
const ADA = `${PROVIDER}#ada`

type Claims = NonNullable<AssertionChanges['claims']>

async function open(
  options: Partial<EmbeddedOptions> = {},
  providerOptions: Partial<TrustedProviderOptions> = {},
) {
  const provider = await IdentityProvider.start()
  const trusted = { issuer: PROVIDER, jwksUri: `${PROVIDER}/keys`, ...providerOptions }
  const server = openDeployment(
    {
      clients: [MACHINE, { id: 'public', grantTypes: [JWT_BEARER] }],
      features: featuresWith([trusted]),
      ...options,
    },
    { app: { otherPaths: ['/other'] } },
  )
  const machine = new AuthClient(server, 'machine', SECRET)
  const send = (assertion: string | undefined, fields: Fields = {}, headers: ClientHeaders = {}) =>
    machine.token({ grant_type: JWT_BEARER, assertion, ...fields }, headers)
  const exchange = async (claims: Claims = {}, fields: Fields = {}, headers: ClientHeaders = {}) =>
    send(await provider.sign({ claims }), fields, headers)
  return { provider, server, machine, send, exchange }
}

describe('an identity assertion', () => {
  it('is exchanged for an access token of one hour without a refresh token', async () => {
    verifies('enterprise-managed-authorization/refresh-tokens')
    const { server, exchange } = await open()
    const body = await bodyOf(await exchange())
    expect(body).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'read write',
    })
    const token = String(body.access_token)
    expect(decodeJwt(token)).toMatchObject({ sub: ADA, client_id: 'machine', aud: MCP })
    expect(await statusWith(server, token)).toBe(200)
  })

  it.each([undefined, ''])(
    'is required: %j is rejected with invalid_request',
    async (assertion) => {
      verifies('identity-assertions/grant-parameters', 'jwt-assertions/one-assertion-as-grant')
      await expectRefusal((await open()).send(assertion), 'invalid_request')
    },
  )

  it('is rejected with unauthorized_client from a client that does not authenticate', async () => {
    verifies('jwt-assertions/credentials-beside-a-grant')
    const { provider, server } = await open()
    const assertion = await provider.sign({ claims: { client_id: 'public' } })
    const fields = { grant_type: JWT_BEARER, assertion }
    await expectRefusal(new AuthClient(server, 'public').token(fields), 'unauthorized_client')
  })

  it('is exchanged once, also when it is sent twice at the same time', async () => {
    verifies('enterprise-managed-authorization/replay')
    verifies('enterprise-managed-authorization/sensitive-assertions')
    const { provider, send } = await open()
    const assertion = await provider.sign()
    const answers = await Promise.all([send(assertion), send(assertion)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
    await expectRefusal(send(assertion), 'invalid_grant')
  })

  it('is not used up by a request that is rejected', async () => {
    const { provider, send } = await open()
    const assertion = await provider.sign({ claims: { scope: 'read' } })
    expect((await send(assertion, { scope: 'write' })).status).toBe(400)
    expect((await send(assertion, { resource: EVIL })).status).toBe(400)
    expect((await send(assertion)).status).toBe(200)
  })

  it('is not part of any telemetry event, accepted or rejected', async () => {
    verifies('enterprise-managed-authorization/no-assertions-in-logs')
    const { provider, server, send } = await open()
    const assertions = [await provider.sign(), await provider.sign({ claims: { aud: 'x' } })]
    for (const assertion of assertions) await send(assertion)
    const text = JSON.stringify(server.events)
    expect(text).toContain('invalid_grant')
    for (const assertion of assertions) {
      for (const part of assertion.split('.')) expect(text).not.toContain(part)
    }
  })
})

describe('an exchange', () => {
  it.each<[string, string, Claims, Fields]>([
    ['the scope of the assertion', '200 Bearer read', { scope: 'read' }, {}],
    [
      'scopes of which it allows one',
      '200 Bearer read',
      { scope: 'read x' },
      { scope: 'read write' },
    ],
    ['a scope where it has none', '200 Bearer write', {}, { scope: 'write' }],
    ['no scope at all', '200 Bearer read write', {}, {}],
    ['a scope that it does not allow', '400 invalid_scope', { scope: 'read' }, { scope: 'write' }],
    ['no list of scopes', '400 invalid_scope', { scope: 'read' }, { scope: '"read"' }],
    ['an assertion for scopes that do not exist', '400 invalid_grant', { scope: 'notes' }, {}],
    [
      'a scope beside such an assertion',
      '400 invalid_grant',
      { scope: 'notes' },
      { scope: 'read' },
    ],
    ['an assertion for offline_access', '400 invalid_grant', { scope: 'offline_access' }, {}],
    ['an assertion without a list', '400 invalid_grant', { scope: '"read"' }, { scope: 'read' }],
    ['an assertion with an empty list', '400 invalid_grant', { scope: '' }, { scope: 'read' }],
  ])('with %s is answered with %s', async (_, answer, claims, fields) => {
    verifies('enterprise-managed-authorization/scopes', 'identity-assertions/scope')
    verifies('identity-assertions/granted-scope', 'jwt-assertions/narrower-scope')
    expect(await responseText(await (await open()).exchange(claims, fields))).toBe(answer)
  })

  it.each<[string, string, Claims, string?]>([
    ['the resource of the assertion', OTHER, { resource: OTHER }],
    ['that resource twice', OTHER, { resource: OTHER }, `${OTHER}/`],
    ['the only resource of a list', OTHER, { resource: [OTHER] }],
    ['a list of which two are served', OTHER, { resource: ['https://b.example', OTHER, MCP] }],
    ['the resource of a list that it names', MCP, { resource: [OTHER, MCP] }, MCP],
    ['a resource where the assertion has none', OTHER, {}, OTHER],
    ['no resource at all', MCP, {}],
    ['another resource', 'invalid_target', { resource: OTHER }, MCP],
    ['one not in the list', 'invalid_target', { resource: ['https://b.example', OTHER] }, MCP],
    ['one that is not served', 'invalid_target', {}, EVIL],
    ['an assertion for one that is not served', 'invalid_grant', { resource: EVIL }],
    ['a resource beside such an assertion', 'invalid_grant', { resource: 'x' }, MCP],
    ['a list of which none is served', 'invalid_grant', { resource: [EVIL, 'x'] }],
    ['an empty list', 'invalid_grant', { resource: [] }],
  ])('for %s is answered with %s', async (_, answer, claims, resource) => {
    verifies('enterprise-managed-authorization/resource-claim')
    verifies('enterprise-managed-authorization/audience-of-the-token')
    verifies('enterprise-managed-authorization/audience-and-resource')
    verifies('identity-assertions/resource', 'identity-assertions/granted-resource')
    const response = await (await open()).exchange(claims, { resource })
    if (answer.startsWith('invalid')) {
      await expectRefusal(response, answer)
      return
    }
    expect(decodeJwt(String((await bodyOf(response)).access_token)).aud).toBe(answer)
  })
})

describe('an assertion that is bound to a key', () => {
  it('is exchanged only with a proof of that key, for a token that is bound to it', async () => {
    verifies('identity-assertions/bound-assertion', 'dpop/token-type')
    verifies('identity-assertions/bound-assertion-without-proof')
    const [key, thief] = [await DpopKey.create(), await DpopKey.create()]
    const { provider, send } = await open()
    const assertion = await provider.sign({ claims: { cnf: { jkt: key.jkt } } })
    await expectRefusal(send(assertion), 'invalid_grant')
    await expectRefusal(send(assertion, {}, await thief.proof()), 'invalid_grant')
    const body = await bodyOf(await send(assertion, {}, await key.proof()))
    expect(body.token_type).toBe('DPoP')
    expect(decodeJwt(String(body.access_token)).cnf).toEqual({ jkt: key.jkt })
  })

  it.each([
    ['names no key', {}],
    ['names its key in another way', { kid: 'key-1' }],
    ['names a key twice', { jkt: 'JKT', kid: 'key-1' }],
    ['is no object', 'JKT'],
  ])('is rejected with invalid_grant when cnf %s', async (_, cnf) => {
    const key = await DpopKey.create()
    const claims = JSON.parse(JSON.stringify({ cnf }).replaceAll('JKT', key.jkt))
    await expectRefusal((await open()).exchange(claims, {}, await key.proof()), 'invalid_grant')
  })
})

describe('an allow-list and an identity assertion', () => {
  const attributes: TrustedProviderOptions['attributes'] = ({ email, groups }) => ({
    emails: email,
    groups,
  })
  const DOMAIN = { emailDomains: ['acme.com'] }
  const STAFF = { groups: ['staff'] }

  it.each<[string, number, EmbeddedOptions['allow'], Claims]>([
    ['with an address of the domain', 200, DOMAIN, { email: 'ann@acme.com' }],
    ['with the address', 200, { emails: ['ann@acme.com'] }, { email: 'Ann@acme.com' }],
    ['with one of the groups', 200, STAFF, { groups: ['x', 'staff'] }],
    ['with the only group, as text', 200, STAFF, { groups: 'staff' }],
    ['with the subject', 200, { ids: [ADA] }, {}],
    ['of another domain', 400, DOMAIN, { email: 'ann@evil.com' }],
    ['of a subdomain', 400, DOMAIN, { email: 'ann@x.acme.com' }],
    [
      'whose address is an object',
      400,
      { emails: ['ann@acme.com'] },
      { email: { 0: 'ann@acme.com' } },
    ],
    ['whose groups are no texts', 400, STAFF, { groups: [['staff'], { x: 'staff' }] }],
    ['without an address', 400, DOMAIN, {}],
    ['whose sub is the id of another issuer', 400, { ids: ['ada'] }, {}],
    ['whose numeric sub is that of another issuer', 400, { ids: [583231] }, { sub: '583231' }],
  ])('answer a person %s with %i', async (_, status, allow, claims) => {
    const { server, exchange } = await open({ allow }, { attributes })
    const response = await exchange(claims)
    expect(response.status).toBe(status)
    if (status === 400) await expectRefusal(response, 'invalid_grant')
    expect(reasonsOf(server)).toEqual(status === 400 ? ['person-not-allowed'] : [])
  })

  it('do not take the claims of a provider for attributes that it may not decide about', async () => {
    const { exchange } = await open({ allow: { ...DOMAIN, ...STAFF } })
    const claims = { email: 'ann@acme.com', email_verified: true, groups: ['staff'] }
    await expectRefusal(exchange(claims), 'invalid_grant')
  })

  it('give scopesOf the subject and the attributes of the person', async () => {
    const asked: KnownPerson[] = []
    const scopesOf = (person: KnownPerson) => {
      asked.push(person)
      return ['read']
    }
    const { exchange } = await open({ scopesOf }, { attributes })
    await exchange({ email: 'ann@acme.com', groups: ['staff'] })
    const known = { emails: ['ann@acme.com'], groups: ['staff'], organizations: [] }
    expect(asked).toEqual([{ subject: ADA, id: ADA, ...known }])
  })
})

describe('scopesOf and an identity assertion', () => {
  it('reduces the scopes of the token to those that the person may have', async () => {
    const { exchange, machine } = await open({ scopesOf: () => ['read'] })
    expect(await responseText(await exchange())).toBe('200 Bearer read')
    const asked = await exchange({ scope: 'read write' }, { scope: 'read write' })
    expect(await responseText(asked)).toBe('200 Bearer read')
    await expectRefusal(exchange({ scope: 'write' }), 'invalid_grant')
    // A client that acts on its own behalf is no person.
    const own = await machine.token({ grant_type: 'client_credentials' })
    expect(await responseText(own)).toBe('200 Bearer read write')
  })

  it.each<[string, number, () => unknown]>([
    ['returns undefined', 400, () => undefined],
    ['throws', 503, () => Promise.reject(new Error('The directory is away'))],
    ['returns a scope that the server does not have', 503, () => ['admin']],
  ])('when it %s answers %i, and the assertion stays valid', async (_, status, fail) => {
    let fails = true
    const scopesOf = () => (fails ? fail() : ['read']) as readonly string[]
    const { provider, send } = await open({ scopesOf })
    const assertion = await provider.sign()
    expect((await send(assertion)).status).toBe(status)
    fails = false
    expect((await send(assertion)).status).toBe(200)
  })
})
