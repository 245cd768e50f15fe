/** `embedded()` without its features: what each leaves out is refused, and never accepted in a weaker form. */
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { dpop, embedded, external, personalAccessTokens } from '../../../src/auth/index.ts'
import { sessions } from '../../../src/features/sessions/index.ts'
import { EC_KEY } from '../clients/keys.ts'
import { bodyOf, messageOf, reasonsOf, refusalOf, refusalWith } from './support/answers.ts'
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
import { interceptOutbound } from './support/outbound.ts'
import { createToken, sendTokenForm } from './support/personal-tokens.ts'
import { basic, JWT_BEARER, SECRET, SECRET_HASH } from './support/static-clients.ts'

const INVALID_GRANT = { status: 400, error: 'invalid_grant' }
const INVALID_CLIENT = { status: 401, error: 'invalid_client' }
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

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
    return { before, now, client, key, tokens }
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

  it('a refresh token that is bound to a key is refused, and is valid again with dpop()', async () => {
    const { now, client, key, tokens } = await openBound()
    const there = client.at(now)
    expect(await refusalOf(await there.refresh(tokens.refresh))).toEqual(INVALID_GRANT)
    const proven = await there.refresh(tokens.refresh, {}, await key.proof())
    expect(await refusalOf(proven)).toEqual(INVALID_GRANT)
    const reason = 'refresh-token-dpop-key-mismatch'
    expect(reasonsOf(now)).toEqual([reason, reason])
    expect((await client.refresh(tokens.refresh, {}, await key.proof())).status).toBe(200)
  })

  it('a code that is bound to a key is refused', async () => {
    const { before, now } = open()
    const [client, key] = [await AuthClient.register(before), await DpopKey.create()]
    const code = await client.code({ dpop_jkt: key.jkt })
    const refused = await client.at(now).redeem(code, {}, await key.proof())
    expect(await refusalOf(refused)).toEqual(INVALID_GRANT)
    expect(reasonsOf(now)).toEqual(['code-dpop-key-mismatch'])
  })

  it('a token request with a proof receives a Bearer token that works, also with dpop_jkt', async () => {
    const { now } = open()
    const [client, key] = [await AuthClient.register(now), await DpopKey.create()]
    const code = await client.code({ dpop_jkt: key.jkt })
    const body = await bodyOf(await client.redeem(code, {}, await key.proof()))
    expect(body.token_type).toBe('Bearer')
    expect(await statusWith(now, String(body.access_token))).toBe(200)
    expect((await client.refresh(String(body.refresh_token))).status).toBe(200)
  })

  it('an unbound token with the scheme DPoP is refused', async () => {
    const { now } = open()
    const { access } = await (await AuthClient.register(now)).tokens()
    expect((await present(now, { authorization: `DPoP ${access}` })).status).toBe(401)
  })

  it('the introspection of a bound access token answers that it is not active', async () => {
    const { before, now } = open()
    const [machine, key] = [new AuthClient(before, 'machine', SECRET), await DpopKey.create()]
    const token = await tokensOf(
      await machine.token({ grant_type: 'client_credentials' }, await key.proof()),
    )
    const introspect = (client: AuthClient) => client.post('/introspect', { token: token.access })
    expect(await bodyOf(await introspect(machine))).toMatchObject({ active: true })
    expect(await bodyOf(await introspect(machine.at(now)))).toEqual({ active: false })
  })

  it('a bound access token can be revoked', async () => {
    const { before, now, client, key, tokens } = await openBound()
    await client.at(now).post('/revoke', { token: tokens.access })
    const refused = await client.refresh(tokens.refresh, {}, await key.proof())
    expect(await refusalOf(refused)).toEqual(INVALID_GRANT)
    expect(reasonsOf(before)).toEqual(['grant-revoked'])
  })

  it('a client that has registered to present proofs is refused with and without one, and telemetry names dpop()', async () => {
    const { before, now } = open()
    const key = await DpopKey.create()
    const client = await AuthClient.register(before, { dpop_bound_access_tokens: true })
    const there = client.at(now)
    for (const headers of [{}, await key.proof()]) {
      expect(await refusalOf(await there.redeem(await client.code(), {}, headers))).toEqual(
        INVALID_CLIENT,
      )
    }
    const reported =
      'invalid_client: A client with dpop_bound_access_tokens needs embedded({ features: [dpop()] })'
    expect(refusalsOf(now)).toEqual([reported, reported])
  })

  it('a registration ignores dpop_bound_access_tokens, and its answer does not name it', async () => {
    const response = await register(open().now, { dpop_bound_access_tokens: true })
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
    const refused = await postForm(now, '/revoke', { token })
    expect(await refusalOf(refused)).toEqual(refusalWith('invalid_request'))
    expect((await postForm(now, '/revoke', { token }, basic('machine'))).status).toBe(200)
    expect(await statusWith(before, token)).toBe(200)
  })
})

describe('without assertions()', () => {
  it('the grant type is not supported', async () => {
    const machine = new AuthClient(open().now, 'machine', SECRET)
    const refused = await machine.token({ grant_type: JWT_BEARER, assertion: 'any' })
    expect(await refusalOf(refused)).toEqual(refusalWith('unsupported_grant_type'))
  })

  it('a registration for assertions alone is refused, and one with codes too gets codes', async () => {
    const server = openDeployment({ features: featuresWith().slice(1, 2) })
    const keys = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [EC_KEY] } }
    const refused = await register(server, { ...keys, grant_types: [JWT_BEARER] })
    expect(await refusalOf(refused)).toEqual(refusalWith('invalid_client_metadata'))
    const both = await register(server, {
      ...keys,
      grant_types: ['authorization_code', JWT_BEARER],
    })
    expect(await bodyOf(both, 201)).toMatchObject({
      grant_types: ['authorization_code', 'refresh_token'],
    })
  })
})

describe('without privateKeyJwt()', () => {
  const REPORTED =
    'invalid_client: A client with private_key_jwt needs embedded({ features: [privateKeyJwt()] })'

  /** A client that has registered its key while the server had the feature. */
  async function openSigning() {
    const { before, now } = open()
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
    const client = await AuthClient.register(before, {
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [{ ...(await exportJWK(publicKey)), kid: 'k' }] },
    })
    const sign = async (id = client.id) => ({
      client_assertion_type: ASSERTION_TYPE,
      client_assertion: await new SignJWT({
        ...{ iss: id, sub: id, aud: ORIGIN, jti: crypto.randomUUID() },
        exp: Math.floor(Date.now() / 1000) + 60,
      })
        .setProtectedHeader({ alg: 'ES256', kid: 'k' })
        .sign(privateKey),
    })
    return { before, now, client, sign }
  }

  it('a registration with the method is refused', async () => {
    const refused = await register(open().now, {
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [EC_KEY] },
    })
    expect(await refusalOf(refused)).toEqual(refusalWith('invalid_client_metadata'))
  })

  it('a registered client is refused before its consent, and telemetry names privateKeyJwt()', async () => {
    const { now, client } = await openSigning()
    const page = await client.authorize(new Browser(now))
    expect(messageOf(page)).toBe(400)
    expect(page.html).not.toContain('privateKeyJwt')
    expect(refusalsOf(now)).toEqual([REPORTED])
  })

  it('a registered client is refused at the token endpoint with its assertion, and as a public client', async () => {
    const { before, now, client, sign } = await openSigning()
    const { refresh } = await tokensOf(await client.redeem(await client.code(), await sign()))
    const there = client.at(now)
    expect(await refusalOf(await there.refresh(refresh, await sign()))).toEqual(INVALID_CLIENT)
    expect(await refusalOf(await there.refresh(refresh))).toEqual(INVALID_CLIENT)
    expect(refusalsOf(now)).toEqual([
      'invalid_client: A client assertion needs embedded({ features: [privateKeyJwt()] })',
      REPORTED,
    ])
    expect(refusalsOf(before)).toEqual([])
  })

  it.each([
    ['a client assertion', { client_assertion: 'made-up', client_assertion_type: ASSERTION_TYPE }],
    ['a client_assertion without its type', { client_assertion: 'made-up' }],
    ['a client_assertion_type alone', { client_assertion_type: ASSERTION_TYPE }],
  ])('a client with a secret is refused when it sends %s too', async (_, fields) => {
    const machine = new AuthClient(open().now, 'machine', SECRET)
    const refused = await machine.token({ grant_type: 'client_credentials', ...fields })
    expect(await refusalOf(refused)).toEqual(INVALID_CLIENT)
  })

  it('a client whose metadata document names the method is refused, and telemetry names privateKeyJwt()', async () => {
    const id = 'https://app.example/client.json'
    interceptOutbound(() =>
      Response.json({
        client_id: id,
        client_name: 'An app',
        redirect_uris: ['https://client.example/callback'],
        token_endpoint_auth_method: 'private_key_jwt',
        jwks: { keys: [EC_KEY] },
      }),
    )
    const { now } = open()
    const client = new AuthClient(now, id)
    expect(messageOf(await client.authorize())).toBe(400)
    const refused = await client.token({ grant_type: 'refresh_token', refresh_token: 'x' })
    expect(await refusalOf(refused)).toEqual(INVALID_CLIENT)
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
