/** A deployment with a configured client and a trusted provider, without a passphrase. */
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authorizeUrl, createVerifier, register } from '../../support/node/oauth-client.ts'
import { verifies } from '../../support/verifies.ts'
import { type EgressServer, startEgressServer } from './egress-server.ts'
import { claimsOf } from './forge.ts'
import { type ProtectedServer, startDeployment } from './protected-server.ts'
import { errorOf, postForm, send } from './send.ts'

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const ENTERPRISE = [
  'authorization',
  `Basic ${Buffer.from('enterprise:enterprise-secret').toString('base64')}`,
] as const

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

function assertion(header: object = {}, signingKey = key): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    ...{ iss: 'https://idp.example', sub: 'alice', aud: server.issuer, client_id: 'enterprise' },
    ...{ scope: 'read', resource: `${server.issuer}/mcp`, jti: crypto.randomUUID() },
    ...{ iat: now, exp: now + 60 },
  }
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', kid: 'idp', typ: 'oauth-id-jag+jwt', ...header })
    .sign(signingKey)
}

const exchange = (assertion: string) =>
  postForm(server.issuer, '/token', { grant_type: JWT_BEARER, assertion }, [ENTERPRISE])

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

  it('rejects an assertion that is signed with a key that it names itself, and fetches no key', async () => {
    const text = await assertion({ kid: 'evil', jku: 'https://evil.example/' }, otherKey)
    expect(errorOf(await exchange(text))).toBe('invalid_grant')
    expect(egress.requestedUrls.filter((url) => url !== 'https://idp.example/jwks')).toEqual([])
  })

  it('accepts one of twenty concurrent requests with one assertion', async () => {
    verifies('enterprise-managed-authorization/replay')
    const text = await assertion()
    const answers = await Promise.all(Array.from({ length: 20 }, () => exchange(text)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })
})

describe('/authorize without a passphrase', () => {
  it('answers 503 under a name that is not loopback, also after a loopback request', async () => {
    const { issuer } = server
    const { pathname, search } = authorizeUrl(issuer, await register(issuer), createVerifier())
    const path = pathname + search
    expect((await send(server.issuer, path)).status).toBe(200)
    const answer = await send(server.issuer, path, { headers: [['host', 'box.lan']] })
    expect(answer.status).toBe(503)
  })
})
