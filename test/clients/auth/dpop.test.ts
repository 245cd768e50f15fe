/** DPoP: tokens that only the holder of their key can use. */
import { decodeJwt } from 'jose'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { type App, createApp, KINDS, type Kind, signIn } from './app.ts'
import { createDpopFetch, createDpopKey, type DpopKey } from './dpop-fetch.ts'
import { useProtectedServer } from './protected-server.ts'
import { refresh, sendMessage } from './raw.ts'

const server = useProtectedServer()

async function signInBound(kind: Kind, alg?: 'EdDSA'): Promise<{ app: App; key: DpopKey }> {
  const key = await createDpopKey(alg)
  return { app: await signIn(kind, { url: server.url, fetch: createDpopFetch(key) }), key }
}

/** One `ping` with the scheme DPoP and a proof. */
async function pingWith(token: string, proof: string) {
  return sendMessage(server.url, {
    headers: { authorization: `DPoP ${token}`, dpop: proof },
    method: 'ping',
  })
}

describe.each(KINDS)('%s', (kind) => {
  test('receives bound tokens and calls with them', async () => {
    const { app, key } = await signInBound(kind)
    expect(app.provider.received[0]?.token_type).toBe('DPoP')
    expect(decodeJwt(app.provider.accessToken).cnf).toEqual({ jkt: key.thumbprint })
    expect((await app.call('whoami')).structuredContent.subject).toBe('owner')
  })

  test('refreshes with its key and keeps its session', async () => {
    const { app, key } = await signInBound(kind)
    const before = (await app.call('whoami')).structuredContent
    app.provider.invalidateAccessToken()
    expect((await app.call('whoami')).structuredContent).toEqual(before)
    expect(decodeJwt(app.provider.accessToken).cnf).toEqual({ jkt: key.thumbprint })
    expect(app.provider.authorizationUrls).toHaveLength(1)
  })

  test('cannot use tokens that are bound to the key of another app', async () => {
    verifies('dpop/keys-are-compared')
    const { app } = await signInBound(kind)
    const thief = createApp(kind, {
      url: server.url,
      provider: app.provider,
      fetch: createDpopFetch(await createDpopKey()),
    })
    const { refreshToken } = app.provider
    expect(await thief.connect()).toBe('redirected')
    expect(thief.requests()).toContain('POST /token 400')
    // The rejected attempt did not use up the refresh token.
    app.provider.saveTokens({ access_token: 'x', token_type: 'DPoP', refresh_token: refreshToken })
    expect((await app.call('whoami')).structuredContent.subject).toBe('owner')
  })
})

test('an EdDSA key is accepted', async () => {
  const { app, key } = await signInBound('v2, modern', 'EdDSA')
  expect(decodeJwt(app.provider.accessToken).cnf).toEqual({ jkt: key.thumbprint })
  expect((await app.call('whoami')).structuredContent.subject).toBe('owner')
})

describe('a bound token', () => {
  test('is rejected as a Bearer token, with a DPoP challenge', async () => {
    verifies('dpop/no-downgrade-to-bearer')
    const { app } = await signInBound('v2')
    const token = app.provider.accessToken
    const { status, headers } = await sendMessage(server.url, { token, method: 'ping' })
    expect(status).toBe(401)
    const challenge = headers.get('www-authenticate')
    expect(challenge).toMatch(/^Bearer resource_metadata="[^"]+", scope="read write", error="inv/)
    expect(challenge).toMatch(/, DPoP resource_metadata="[^"]+", .*algs="ES256 EdDSA"$/)
  })

  test('is accepted once with each proof', async () => {
    verifies('dpop/proof-at-resources')
    const { app, key } = await signInBound('v2')
    const token = app.provider.accessToken
    const proof = await key.prove({ method: 'POST', url: server.url, token })
    expect((await pingWith(token, proof)).status).toBe(200)
    expect((await pingWith(token, proof)).status).toBe(401)
  })

  test.each([
    { what: 'another method', changes: { method: 'GET' } },
    { what: 'another address', changes: { url: 'http://127.0.0.1:1/mcp' } },
    { what: 'the other resource', changes: { url: '/other' } },
    { what: 'another token', changes: { token: 'another' } },
    { what: 'no token', changes: { token: undefined } },
  ])('is rejected with a proof for $what', async ({ changes }) => {
    verifies('dpop/access-token-hash')
    const { app, key } = await signInBound('v2')
    const token = app.provider.accessToken
    const options = { method: 'POST', url: server.url, token, ...changes }
    const proof = await key.prove({ ...options, url: new URL(options.url, server.url).href })
    const { status, headers } = await pingWith(token, proof)
    expect(status).toBe(401)
    expect(headers.get('www-authenticate')).toContain('error="invalid_dpop_proof"')
  })

  test('is rejected with the proof of another key', async () => {
    verifies('dpop/keys-are-compared')
    const { app } = await signInBound('v2')
    const token = app.provider.accessToken
    const { prove } = await createDpopKey()
    const proof = await prove({ method: 'POST', url: server.url, token })
    expect((await pingWith(token, proof)).status).toBe(401)
  })

  test('is not refreshed without a proof', async () => {
    verifies('dpop/bound-refresh-tokens')
    const { app } = await signInBound('v2')
    const { provider } = app
    const { status, body } = await refresh(server.origin, provider, provider.refreshToken)
    expect([status, body.error]).toEqual([400, 'invalid_grant'])
    provider.invalidateAccessToken()
    expect((await app.call('whoami')).structuredContent.subject).toBe('owner')
  })
})

test('an unbound token is rejected with the scheme DPoP', async () => {
  const app = await signIn('v2', { url: server.url })
  const token = app.provider.accessToken
  const { prove } = await createDpopKey()
  const proof = await prove({ method: 'POST', url: server.url, token })
  expect((await pingWith(token, proof)).status).toBe(401)
})
