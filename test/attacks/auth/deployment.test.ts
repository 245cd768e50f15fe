/** A deployment with configured clients and a trusted provider, without a passphrase. */
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { authorizeQuery, createVerifier, register } from './client.ts'
import { type EgressServer, startEgressServer } from './egress-server.ts'
import { claimsOf } from './forge.ts'
import { type ProtectedServer, startDeployment } from './protected-server.ts'
import { errorOf, postForm, send } from './send.ts'

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const basic = (pair: string) =>
  ['authorization', `Basic ${Buffer.from(pair).toString('base64')}`] as const
const ENTERPRISE = basic('enterprise:enterprise-secret')
const SERVICE = basic('service:service-secret')

let egress: EgressServer
let server: ProtectedServer
let key: CryptoKey
let otherKey: CryptoKey
beforeAll(async () => {
  egress = await startEgressServer()
  const pair = await generateKeyPair('ES256', { extractable: true })
  key = pair.privateKey
  otherKey = (await generateKeyPair('ES256')).privateKey
  const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'idp', alg: 'ES256' }
  egress.responders.set('https://idp.example/jwks', () => ({
    body: JSON.stringify({ keys: [jwk] }),
  }))
  server = await startDeployment(egress.url, '')
})
afterAll(async () => {
  await server?.stop()
  await egress?.stop()
})

interface Signing {
  readonly claims?: Record<string, unknown>
  readonly header?: Record<string, unknown>
  readonly other?: boolean
}

function assertion({ claims, header, other = false }: Signing = {}): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  const defaults = {
    ...{ iss: 'https://idp.example', sub: 'alice', aud: server.issuer, client_id: 'enterprise' },
    ...{ scope: 'read', resource: `${server.issuer}/mcp`, jti: crypto.randomUUID() },
    ...{ iat: now, exp: now + 60 },
    ...claims,
  }
  return new SignJWT(defaults)
    .setProtectedHeader({ alg: 'ES256', kid: 'idp', typ: 'oauth-id-jag+jwt', ...header })
    .sign(other ? otherKey : key)
}

const exchange = (text: string, more: Readonly<Record<string, string>> = {}, header = ENTERPRISE) =>
  postForm(server.issuer, '/token', { grant_type: JWT_BEARER, assertion: text, ...more }, [header])

describe('the assertion grant of /token', () => {
  it('issues a token with subject, scope and resource of the assertion, once', async () => {
    verifies('enterprise-managed-authorization/audience-of-the-token')
    const text = await assertion()
    const answer = await exchange(text)
    expect([answer.status, JSON.parse(answer.body).scope]).toEqual([200, 'read'])
    const { sub, aud } = claimsOf(JSON.parse(answer.body).access_token)
    expect([sub, aud]).toEqual(['https://idp.example#alice', `${server.issuer}/mcp`])
    expect(errorOf(await exchange(text))).toBe('invalid_grant')
  })

  const bad: readonly (readonly [string, Signing])[] = [
    ['for another issuer', { claims: { aud: 'https://evil.example' } }],
    ['of another issuer', { claims: { iss: 'https://evil.example' } }],
    ['for another client', { claims: { client_id: 'service' } }],
    ['for no client', { claims: { client_id: undefined } }],
    ['without a jti', { claims: { jti: undefined } }],
    ['without an expiry', { claims: { exp: undefined } }],
    ['that has expired', { claims: { exp: 1 } }],
    ['issued an hour ago', { claims: { iat: Math.floor(Date.now() / 1000) - 3600 } }],
    ['issued in the future', { claims: { iat: 9_999_999_999 } }],
    ['of another type', { header: { typ: 'JWT' } }],
    ['without a type', { header: { typ: undefined } }],
    ['signed with another key', { other: true }],
    [
      'signed with a key that it names itself',
      { other: true, header: { kid: 'evil', jku: 'https://evil.example/' } },
    ],
  ]
  it.each(bad)('rejects an assertion %s', async (_, signing) => {
    const answer = await exchange(await assertion(signing))
    expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_grant'])
    expect(egress.requestedUrls.filter((url) => url !== 'https://idp.example/jwks')).toEqual([])
  })

  it('rejects an assertion with two audiences', async () => {
    verifies('enterprise-managed-authorization/foreign-audience', 'identity-assertions/audience')
    const text = await assertion({ claims: { aud: [server.issuer, 'https://other.example'] } })
    expect(errorOf(await exchange(text))).toBe('invalid_grant')
  })

  it('issues no scope beyond the assertion', async () => {
    verifies('enterprise-managed-authorization/scopes', 'jwt-assertions/narrower-scope')
    const answer = await exchange(await assertion(), { scope: 'read write' })
    if (answer.status === 200) expect(JSON.parse(answer.body).scope).toBe('read')
    else expect(errorOf(answer)).toBe('invalid_scope')
  })

  it('rejects another resource than that of the assertion', async () => {
    verifies('enterprise-managed-authorization/audience-of-the-token')
    const answer = await exchange(await assertion(), { resource: `${server.issuer}/other` })
    expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_target'])
  })

  it('does not use up the assertion of a request that it rejects', async () => {
    const text = await assertion()
    expect(errorOf(await exchange(text, { scope: 'admin' }))).toBe('invalid_scope')
    expect((await exchange(text)).status).toBe(200)
  })

  it('accepts one of twenty concurrent requests with one assertion', async () => {
    verifies('enterprise-managed-authorization/replay')
    const text = await assertion()
    const answers = await Promise.all(Array.from({ length: 20 }, () => exchange(text)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  it('rejects a client without this grant type or with a wrong secret', async () => {
    verifies('jwt-assertions/credentials-beside-a-grant')
    expect(errorOf(await exchange(await assertion(), {}, SERVICE))).toBe('unauthorized_client')
    const wrong = basic('enterprise:wrong')
    expect(errorOf(await exchange(await assertion(), {}, wrong))).toBe('invalid_client')
  })
})

describe('the client credentials grant of /token', () => {
  const ask = (fields: Readonly<Record<string, string>>, header = SERVICE) =>
    postForm(server.issuer, '/token', { grant_type: 'client_credentials', ...fields }, [header])

  it('issues only scopes and resources that the client may have', async () => {
    const answer = await ask({ scope: 'read write' })
    expect([answer.status, JSON.parse(answer.body).scope]).toEqual([200, 'read'])
    expect(errorOf(await ask({ scope: 'write' }))).toBe('invalid_scope')
    expect(errorOf(await ask({ resource: 'https://evil.example' }))).toBe('invalid_target')
  })
  it('rejects a client without this grant type or with an empty secret', async () => {
    verifies('client-credentials/security', 'oauth-2-1-grants/client-credentials-authenticate')
    expect(errorOf(await ask({}, ENTERPRISE))).toBe('unauthorized_client')
    expect(errorOf(await ask({}, basic('service:')))).toBe('invalid_client')
  })
})

describe('/authorize without a passphrase', () => {
  it('answers 503 under a name that is not loopback, also after a loopback request', async () => {
    const { id } = await register(server.issuer)
    const path = `/authorize?${authorizeQuery(id, createVerifier())}`
    expect((await send(server.issuer, path)).status).toBe(200)
    const answer = await send(server.issuer, path, { headers: [['host', 'box.lan']] })
    expect(answer.status).toBe(503)
  })
})
