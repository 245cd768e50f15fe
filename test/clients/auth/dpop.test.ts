/** DPoP: tokens that only the holder of their key can use. */
import { decodeJwt } from 'jose'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { type App, createApp, KINDS, signIn } from './app.ts'
import type { Kind } from './connection.ts'
import { createDpopFetch, createDpopKey, type DpopKey } from './dpop-fetch.ts'
import { useProtectedServer } from './protected-server.ts'

const server = useProtectedServer()

async function signInBound(kind: Kind): Promise<{ app: App; key: DpopKey }> {
  const key = await createDpopKey()
  return { app: await signIn(kind, { url: server.url, fetch: createDpopFetch(key) }), key }
}

describe.each(KINDS)('%s', (kind) => {
  test('receives bound tokens, and refreshes with its key and keeps its session', async () => {
    const { app, key } = await signInBound(kind)
    expect(app.provider.received[0]?.token_type).toBe('DPoP')
    expect(decodeJwt(app.provider.accessToken).cnf).toEqual({ jkt: key.thumbprint })
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
