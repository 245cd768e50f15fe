/** Tokens that are bound to a key: of use to whoever holds it, and to nobody else. */
import { decodeJwt } from 'jose'
import { describe, expect, test } from 'vitest'
import { type App, createApp, KINDS, type Kind, signIn } from './app.ts'
import { createDpopFetch, createDpopKey, type DpopKey } from './dpop-fetch.ts'
import { useProtectedServer } from './protected-server.ts'
import { refresh, sendMessage } from './raw.ts'

const server = useProtectedServer()

async function signInBound(kind: Kind, alg?: 'EdDSA'): Promise<{ app: App; key: DpopKey }> {
  const key = await createDpopKey(alg)
  return { app: await signIn(kind, { url: server.url, fetch: createDpopFetch(key) }), key }
}

/** One `ping` with a token that is presented as bound, and a proof. */
async function pingWith(token: string, proof: string) {
  return sendMessage(server.url, {
    headers: { authorization: `DPoP ${token}`, dpop: proof },
    method: 'ping',
  })
}

describe.each(KINDS)('%s', (kind) => {
  test('is given bound tokens, and calls with them', async () => {
    const { app, key } = await signInBound(kind)
    expect(app.provider.received[0]?.token_type).toBe('DPoP')
    expect(decodeJwt(app.provider.accessToken).cnf).toEqual({ jkt: key.thumbprint })
    expect((await app.call('whoami')).structuredContent.subject).toBe('owner')
  })

  test('refreshes with its key, and keeps its session', async () => {
    const { app, key } = await signInBound(kind)
    const before = (await app.call('whoami')).structuredContent
    app.provider.spoilAccessToken()
    expect((await app.call('whoami')).structuredContent).toEqual(before)
    expect(decodeJwt(app.provider.accessToken).cnf).toEqual({ jkt: key.thumbprint })
    expect(app.provider.asked).toHaveLength(1)
  })

  test('gets nowhere with the tokens of another that has their key', async () => {
    const { app } = await signInBound(kind)
    const thief = createApp(kind, {
      url: server.url,
      provider: app.provider,
      fetch: createDpopFetch(await createDpopKey()),
    })
    const { refreshToken } = app.provider
    expect(await thief.connect()).toBe('asked')
    expect(thief.requests()).toContain('POST /token 400')
    // Nothing was spent by the attempt.
    app.provider.saveTokens({ access_token: 'x', token_type: 'DPoP', refresh_token: refreshToken })
    expect((await app.call('whoami')).structuredContent.subject).toBe('owner')
  })
})

test('a key of the other kind does as well', async () => {
  const { app, key } = await signInBound('v2, modern', 'EdDSA')
  expect(decodeJwt(app.provider.accessToken).cnf).toEqual({ jkt: key.thumbprint })
  expect((await app.call('whoami')).structuredContent.subject).toBe('owner')
})

describe('a bound token', () => {
  test('is refused as if it were not bound, with a word on how it is presented', async () => {
    const { app } = await signInBound('v2')
    const token = app.provider.accessToken
    const { status, headers } = await sendMessage(server.url, { token, method: 'ping' })
    expect(status).toBe(401)
    const challenge = headers.get('www-authenticate')
    expect(challenge).toMatch(/^Bearer resource_metadata="[^"]+", scope="read write", error="inv/)
    expect(challenge).toMatch(/, DPoP resource_metadata="[^"]+", .*algs="ES256 EdDSA"$/)
  })

  test('is taken with a proof of its own, once', async () => {
    const { app, key } = await signInBound('v2')
    const token = app.provider.accessToken
    const proof = await key.prove({ method: 'POST', url: server.url, token })
    expect((await pingWith(token, proof)).status).toBe(200)
    expect((await pingWith(token, proof)).status).toBe(401)
  })

  test.each([
    { what: 'another method', facts: { method: 'GET' } },
    { what: 'another address', facts: { url: 'http://127.0.0.1:1/mcp' } },
    { what: 'the other resource', facts: { url: '/other' } },
    { what: 'another token', facts: { token: 'another' } },
    { what: 'no token', facts: { token: undefined } },
  ])('is refused with a proof for $what', async ({ facts }) => {
    const { app, key } = await signInBound('v2')
    const token = app.provider.accessToken
    const made = { method: 'POST', url: server.url, token, ...facts }
    const proof = await key.prove({ ...made, url: new URL(made.url, server.url).href })
    const { status, headers } = await pingWith(token, proof)
    expect(status).toBe(401)
    expect(headers.get('www-authenticate')).toContain('error="invalid_dpop_proof"')
  })

  test('is refused with the proof of another key', async () => {
    const { app } = await signInBound('v2')
    const token = app.provider.accessToken
    const { prove } = await createDpopKey()
    const proof = await prove({ method: 'POST', url: server.url, token })
    expect((await pingWith(token, proof)).status).toBe(401)
  })

  test('is not refreshed without a proof', async () => {
    const { app } = await signInBound('v2')
    const { provider } = app
    const { status, body } = await refresh(server.origin, provider, provider.refreshToken)
    expect([status, body.error]).toEqual([400, 'invalid_grant'])
    provider.spoilAccessToken()
    expect((await app.call('whoami')).structuredContent.subject).toBe('owner')
  })
})

test('a token that is not bound is refused as if it were', async () => {
  const app = await signIn('v2', { url: server.url })
  const token = app.provider.accessToken
  const { prove } = await createDpopKey()
  const proof = await prove({ method: 'POST', url: server.url, token })
  expect((await pingWith(token, proof)).status).toBe(401)
})
