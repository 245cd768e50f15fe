/** Refreshing of access tokens by the official clients. */
import { describe, expect, test } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { authorize, createApp, KINDS, type SettledKind, signIn } from './app.ts'
import { useProtectedServer } from './protected-server.ts'
import { refresh, sendMessage } from './raw.ts'

const server = useProtectedServer()

const REFRESHED: Readonly<Record<SettledKind, readonly string[]>> = {
  v1: ['POST /mcp 401', 'POST /token 200', 'POST /mcp 200'],
  'v1 over HTTP+SSE': ['POST /messages 401', 'POST /token 200', 'POST /messages 202'],
  v2: ['POST /mcp 401', 'POST /token 200', 'POST /mcp 200'],
  'v2, modern': ['POST /mcp 401', 'POST /token 200', 'POST /mcp 200'],
}

describe.each(KINDS)('%s', (kind) => {
  test('refreshes after a 401 and keeps its identity', async () => {
    verifies('authorization-security/refresh-token-rotation', 'oauth-2-1-grants/old-refresh-token')
    const app = await signIn(kind, { url: server.url })
    const before = (await app.call('whoami')).structuredContent
    app.requests()
    app.provider.invalidateAccessToken()
    expect((await app.call('whoami')).structuredContent).toEqual(before)
    expect(app.requests()).toEqual(REFRESHED[kind])

    const [first, second] = app.provider.received
    expect(app.provider.received).toHaveLength(2)
    expect(second?.refresh_token).toMatch(/^[\w.-]{40,}$/)
    expect(second?.refresh_token).not.toBe(first?.refresh_token)
    expect(second?.access_token).not.toBe(first?.access_token)
    expect(second).toMatchObject({ token_type: 'Bearer', expires_in: 86_400, scope: 'read write' })
    app.provider.invalidateAccessToken()
    expect((await app.call('whoami')).structuredContent).toEqual(before)
    expect(app.provider.authorizationUrls).toHaveLength(1)
  })

  test('receives the same refresh token again when a response was lost', async () => {
    const app = await signIn(kind, { url: server.url })
    const used = app.provider.refreshToken
    app.provider.invalidateAccessToken()
    await app.call('whoami')
    const successor = app.provider.refreshToken
    app.provider.invalidateAccessToken(used)
    await app.call('whoami')
    expect(app.provider.refreshToken).toBe(successor)
    app.provider.invalidateAccessToken()
    await app.call('whoami')
    expect(app.provider.refreshToken).not.toBe(successor)
    expect(app.provider.authorizationUrls).toHaveLength(1)
  })

  test('needs a new authorization after its refresh token was used by another party', async () => {
    const app = await signIn(kind, { url: server.url })
    const stolen = app.provider.refreshToken
    const thief = await refresh(server.origin, app.provider, stolen)
    await refresh(server.origin, app.provider, thief.body.refresh_token)
    app.provider.invalidateAccessToken()
    await expect(app.call('whoami')).rejects.toThrow('Unauthorized')
    expect(app.provider.authorizationUrls).toHaveLength(2)
    const { status } = await sendMessage(server.url, {
      token: thief.body.access_token,
      method: 'ping',
    })
    expect(status).toBe(401)

    await authorize(app)
    expect((await app.call('whoami')).structuredContent.subject).toBe('owner')
  })

  test('registers again when its client id is unknown', async () => {
    const app = await signIn(kind, { url: server.url })
    const { issuer } = app.provider.clientInformation() ?? {}
    app.provider.saveClientInformation({ client_id: 'gone', ...(issuer && { issuer }) })
    app.provider.invalidateAccessToken()
    app.requests()
    await expect(app.call('whoami')).rejects.toThrow('Unauthorized')
    expect(app.requests().filter((line) => !line.startsWith('GET /.well-known/'))).toEqual([
      REFRESHED[kind][0],
      'POST /token 401',
      'POST /register 201',
    ])
    await authorize(app)
    // It is a new client, so the session of the old one is unknown to it.
    const again = createApp(kind, { url: server.url, provider: app.provider })
    expect(await again.connect()).toBe('connected')
    expect((await again.call('whoami')).structuredContent).toMatchObject({
      subject: 'owner',
      clientId: app.provider.clientInformation()?.client_id,
    })
  })

  test('repeats the discovery when it has stored its tokens only', async () => {
    const app = await signIn(kind, { url: server.url })
    app.provider.invalidateCredentials('discovery')
    app.provider.invalidateAccessToken()
    app.requests()
    expect((await app.call('whoami')).structuredContent.subject).toBe('owner')
    const [first, ...rest] = REFRESHED[kind]
    expect(app.requests()).toEqual([
      first,
      `GET /.well-known/oauth-protected-resource/${kind === 'v1 over HTTP+SSE' ? 'sse' : 'mcp'} 200`,
      'GET /.well-known/oauth-authorization-server 200',
      ...rest,
    ])
  })
})

test.each(['v2', 'v2, modern'] as const)(
  '%s refreshes during concurrent calls, and none of them fails',
  async (kind) => {
    const app = await signIn(kind, { url: server.url })
    app.provider.invalidateAccessToken()
    const calls = Array.from({ length: 8 }, () => app.call('whoami'))
    const subjects = (await Promise.all(calls)).map(({ structuredContent }) => structuredContent)
    expect(subjects.map(({ subject }) => subject)).toEqual(Array(8).fill('owner'))
    expect(app.provider.authorizationUrls).toHaveLength(1)
  },
)
