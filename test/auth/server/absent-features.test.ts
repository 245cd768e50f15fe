/** `embedded()` without its features: what each leaves out is refused, and never accepted in a weaker form. */
import { describe, expect, it } from 'vitest'
import { dpop, embedded, external, personalAccessTokens } from '../../../src/auth/index.ts'
import { sessions } from '../../../src/features/sessions/index.ts'
import { EC_KEY } from '../clients/keys.ts'
import { bodyOf, messageOf, reasonsOf } from './support/answers.ts'
import { Browser } from './support/browser.ts'
import { AuthClient, postForm, register, statusWith, tokensOf } from './support/client.ts'
import {
  type Deployment,
  featuresWith,
  ORIGIN,
  openDeployment,
  RESOURCE,
} from './support/deployment.ts'
import { DpopKey } from './support/dpop.ts'
import { DOCUMENT, DOCUMENT_ID, expectRefusal, open as openFlow } from './support/flow.ts'
import { interceptOutbound } from './support/outbound.ts'
import { createToken, sendTokenForm } from './support/personal-tokens.ts'
import { basic, JWT_BEARER, SECRET, SECRET_HASH } from './support/static-clients.ts'

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

const KEYS = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [EC_KEY] } }

const SERVICE = {
  id: 'machine',
  secretHash: SECRET_HASH,
  redirectUris: ['https://client.example/callback'],
  grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
} as const

/** A deployment with every feature, and the same one after a deployment without any. */
function open() {
  const features = featuresWith(undefined, personalAccessTokens())
  const before = openDeployment({ clients: [SERVICE], features })
  const { bindings } = before
  const now = openDeployment({ clients: [SERVICE], features: [] }, { bindings })
  return { before, now }
}

async function metadataOf(server: Deployment, path: string) {
  return (await server.fetch(`${ORIGIN}/.well-known/${path}`)).json<Record<string, unknown>>()
}

/** What telemetry received about the refused requests. */
const refusalsOf = ({ events }: Deployment) =>
  events.flatMap((event) => (event.type === 'refusal' ? [`${event.name}: ${event.message}`] : []))

async function present(server: Deployment, headers: Record<string, string>) {
  const response = await server.fetch(RESOURCE, { method: 'POST', headers, body: '{}' })
  return { status: response.status, challenge: response.headers.get('www-authenticate') ?? '' }
}

describe('the metadata of a server without features', () => {
  it('names neither DPoP, nor assertions, nor signatures of clients', async () => {
    const document = await metadataOf(open().now, 'oauth-authorization-server')
    const METHODS = ['none', 'client_secret_basic', 'client_secret_post']
    expect(document).toMatchObject({
      grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
      token_endpoint_auth_methods_supported: METHODS,
      revocation_endpoint_auth_methods_supported: METHODS,
      introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    })
    const names = Object.keys(document).join(' ')
    expect(names).not.toMatch(/dpop|auth_signing_alg|grant_profiles/)
  })

  it('names no DPoP algorithm for the resource', async () => {
    const document = await metadataOf(open().now, 'oauth-protected-resource/mcp')
    expect(document).toMatchObject({ resource: RESOURCE })
    expect(document).not.toHaveProperty('dpop_signing_alg_values_supported')
  })

  it.each([
    ['dpop()', [dpop()], 'dpop_signing_alg_values_supported'],
    ['assertions()', featuresWith().slice(2), 'authorization_grant_profiles_supported'],
    [
      'privateKeyJwt()',
      featuresWith().slice(1, 2),
      'token_endpoint_auth_signing_alg_values_supported',
    ],
  ])('names what %s alone brings', async (_, features, member) => {
    const document = await metadataOf(openDeployment({ features }), 'oauth-authorization-server')
    const names = [
      'dpop_signing_alg_values_supported',
      'authorization_grant_profiles_supported',
      'token_endpoint_auth_signing_alg_values_supported',
    ]
    expect(names.filter((name) => name in document)).toEqual([member])
  })
})

describe('without dpop()', () => {
  async function openBound() {
    const { before, now } = open()
    const [client, key] = [await AuthClient.register(before), await DpopKey.create()]
    const code = await client.code()
    const tokens = await tokensOf(await client.redeem(code, {}, await key.proof()))
    return { before, now, client, there: client.at(now), key, tokens }
  }

  it('an access token that is bound to a key is refused as Bearer and as DPoP, with a challenge for Bearer alone', async () => {
    const { now, key, tokens } = await openBound()
    const proof = await key.proof({ htu: RESOURCE })
    for (const headers of [
      { authorization: `Bearer ${tokens.access}` },
      { authorization: `DPoP ${tokens.access}`, ...proof },
    ]) {
      const { status, challenge } = await present(now, headers)
      expect(status).toBe(401)
      expect(challenge).toMatch(/^Bearer .*error="invalid_token"/)
      expect(challenge).not.toContain('DPoP ')
    }
  })

  it('refresh tokens and codes that are bound to a key are refused, and valid again with dpop()', async () => {
    const { now, client, there, key, tokens } = await openBound()
    await expectRefusal(there.refresh(tokens.refresh), 'invalid_grant')
    await expectRefusal(there.refresh(tokens.refresh, {}, await key.proof()), 'invalid_grant')
    const code = await client.code({ dpop_jkt: key.jkt })
    await expectRefusal(there.redeem(code, {}, await key.proof()), 'invalid_grant')
    const reason = 'refresh-token-dpop-key-mismatch'
    expect(reasonsOf(now)).toEqual([reason, reason, 'code-dpop-key-mismatch'])
    expect((await client.refresh(tokens.refresh, {}, await key.proof())).status).toBe(200)
  })

  it('a token request with a proof receives a Bearer token that works, also with dpop_jkt', async () => {
    const { now } = open()
    const [client, key] = [await AuthClient.register(now), await DpopKey.create()]
    const code = await client.code({ dpop_jkt: key.jkt })
    const body = await bodyOf(await client.redeem(code, {}, await key.proof()))
    expect(body.token_type).toBe('Bearer')
    const access = String(body.access_token)
    expect(await statusWith(now, access)).toBe(200)
    expect((await present(now, { authorization: `DPoP ${access}` })).status).toBe(401)
    expect((await client.refresh(String(body.refresh_token))).status).toBe(200)
  })

  it('a bound access token is not active at the introspection, and can be revoked', async () => {
    const { before, now, there, client, key, tokens } = await openBound()
    const machine = new AuthClient(before, 'machine', SECRET)
    const credentials = { grant_type: 'client_credentials' }
    const token = await tokensOf(await machine.token(credentials, await key.proof()))
    const introspect = (by: AuthClient) => by.post('/introspect', { token: token.access })
    expect(await bodyOf(await introspect(machine))).toMatchObject({ active: true })
    expect(await bodyOf(await introspect(machine.at(now)))).toEqual({ active: false })
    await there.post('/revoke', { token: tokens.access })
    const refused = client.refresh(tokens.refresh, {}, await key.proof())
    await expectRefusal(refused, 'invalid_grant')
    expect(reasonsOf(before)).toEqual(['grant-revoked'])
  })

  it('a client that has registered to present proofs is refused with and without one, and telemetry names dpop()', async () => {
    const { before, now } = open()
    const key = await DpopKey.create()
    const client = await AuthClient.register(before, { dpop_bound_access_tokens: true })
    for (const headers of [{}, await key.proof()]) {
      const refused = client.at(now).redeem(await client.code(), {}, headers)
      await expectRefusal(refused, 'invalid_client', 401)
    }
    const reported =
      'invalid_client: A client with dpop_bound_access_tokens needs embedded({ features: [dpop()] })'
    expect(refusalsOf(now)).toEqual([reported, reported])
    const response = await register(now, { dpop_bound_access_tokens: true })
    expect(await bodyOf(response, 201)).not.toHaveProperty('dpop_bound_access_tokens')
  })
})

describe('without personalAccessTokens()', () => {
  async function openWithToken() {
    const { before, now } = open()
    const browser = new Browser(before)
    await browser.signIn()
    return { before, now, token: await createToken(browser) }
  }

  it('the account page has no form and no list, and its forms are not served', async () => {
    const { now } = await openWithToken()
    const browser = new Browser(now)
    await browser.signIn()
    expect((await browser.get('/account')).html).not.toContain('ersonal access token')
    expect((await sendTokenForm(browser)).status).toBe(404)
    expect((await browser.post('/account/tokens/revoke', { token: 'x' })).status).toBe(404)
  })

  it('a token needs a client at /revoke, like every text that is no token', async () => {
    const { before, now, token } = await openWithToken()
    await expectRefusal(postForm(now, '/revoke', { token }), 'invalid_request')
    expect((await postForm(now, '/revoke', { token }, basic('machine'))).status).toBe(200)
    expect(await statusWith(before, token)).toBe(200)
  })
})

describe('without assertions()', () => {
  it('the grant type is not supported', async () => {
    const machine = new AuthClient(open().now, 'machine', SECRET)
    const fields = { grant_type: JWT_BEARER, assertion: 'any' }
    await expectRefusal(machine.token(fields), 'unsupported_grant_type')
  })

  it('a registration for assertions alone is refused, and one with codes too gets codes', async () => {
    const server = openDeployment({ features: featuresWith().slice(1, 2) })
    const refused = register(server, { ...KEYS, grant_types: [JWT_BEARER] })
    await expectRefusal(refused, 'invalid_client_metadata')
    const both = { ...KEYS, grant_types: ['authorization_code', JWT_BEARER] }
    expect(await bodyOf(await register(server, both), 201)).toMatchObject({
      grant_types: ['authorization_code', 'refresh_token'],
    })
  })
})

describe('without privateKeyJwt()', () => {
  const REPORTED =
    'invalid_client: A client with private_key_jwt needs embedded({ features: [privateKeyJwt()] })'

  it('a registration with the method is refused', async () => {
    await expectRefusal(register(open().now, KEYS), 'invalid_client_metadata')
  })

  it('a registered client is refused at each endpoint, and telemetry names privateKeyJwt()', async () => {
    const opened = await openFlow({ kind: 'keys' })
    const { client, credentials, server } = opened
    const now = openDeployment({ features: [] }, { bindings: server.bindings })
    const { refresh } = await tokensOf(
      await client.redeem(await client.code(), await credentials()),
    )
    const there = client.at(now)
    const page = await there.authorize(new Browser(now))
    expect(messageOf(page)).toBe(400)
    expect(page.html).not.toContain('privateKeyJwt')
    await expectRefusal(there.refresh(refresh, await credentials()), 'invalid_client', 401)
    await expectRefusal(there.refresh(refresh), 'invalid_client', 401)
    expect(refusalsOf(now)).toEqual([
      REPORTED,
      'invalid_client: A client assertion needs embedded({ features: [privateKeyJwt()] })',
      REPORTED,
    ])
    expect(refusalsOf(server)).toEqual([])
  })

  it.each([
    ['a client assertion', { client_assertion: 'made-up', client_assertion_type: ASSERTION_TYPE }],
    ['a client_assertion without its type', { client_assertion: 'made-up' }],
    ['a client_assertion_type alone', { client_assertion_type: ASSERTION_TYPE }],
  ])('a client with a secret is refused when it sends %s too', async (_, fields) => {
    const machine = new AuthClient(open().now, 'machine', SECRET)
    const refused = machine.token({ grant_type: 'client_credentials', ...fields })
    await expectRefusal(refused, 'invalid_client', 401)
  })

  it('a client whose metadata document names the method is refused, and telemetry names privateKeyJwt()', async () => {
    interceptOutbound(() => Response.json({ ...DOCUMENT, ...KEYS }))
    const { now } = open()
    const client = new AuthClient(now, DOCUMENT_ID)
    expect(messageOf(await client.authorize())).toBe(400)
    await expectRefusal(client.refresh('x'), 'invalid_client', 401)
    expect(refusalsOf(now)).toEqual([REPORTED, REPORTED])
  })
})

describe('a wrong option of embedded() and external()', () => {
  const SCOPES = { read: 'Read notes' }

  it('is an error of the compiler', () => {
    // @ts-expect-error an option of a feature
    embedded({ scopes: SCOPES, trustedProviders: [{ issuer: 'https://idp.example' }] })
    // @ts-expect-error a function instead of its value
    embedded({ scopes: SCOPES, features: [dpop] })
    // @ts-expect-error a feature of the app
    embedded({ scopes: SCOPES, features: [sessions()] })
    // @ts-expect-error a feature of embedded() alone
    external({ scopes: SCOPES, issuers: [], features: [personalAccessTokens()] })
    embedded({ scopes: SCOPES, features: [personalAccessTokens(), dpop(), false, undefined] })
    external({ scopes: SCOPES, issuers: [], features: [dpop()] })
  })
})
