/** Access tokens that end, and apps that go on by themselves. */
import { describe, expect, test } from 'vitest'
import { answer, createApp, KINDS, type SettledKind, signIn } from './app.ts'
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
  test('refreshes by itself when it is refused, and is who it was', async () => {
    const app = await signIn(kind, { url: server.url })
    const before = (await app.call('whoami')).structuredContent
    app.requests()
    app.provider.spoilAccessToken()
    expect((await app.call('whoami')).structuredContent).toEqual(before)
    expect(app.requests()).toEqual(REFRESHED[kind])

    const [first, second] = app.provider.received
    expect(app.provider.received).toHaveLength(2)
    expect(second?.refresh_token).toMatch(/^[\w.-]{40,}$/)
    expect(second?.refresh_token).not.toBe(first?.refresh_token)
    expect(second?.access_token).not.toBe(first?.access_token)
    expect(second).toMatchObject({ token_type: 'Bearer', expires_in: 86_400, scope: 'read write' })
    expect(app.provider.asked).toHaveLength(1)
  })

  test('goes on for as many rounds as it takes', async () => {
    const app = await signIn(kind, { url: server.url })
    for (let round = 0; round < 4; round++) {
      app.provider.spoilAccessToken()
      expect((await app.call('whoami')).structuredContent.subject).toBe('owner')
    }
    const tokens = app.provider.received.map(({ refresh_token }) => refresh_token)
    expect(new Set(tokens).size).toBe(5)
    expect(app.provider.asked).toHaveLength(1)
  })

  test('is given the same successor again when the answer was lost', async () => {
    const app = await signIn(kind, { url: server.url })
    const spent = app.provider.refreshToken
    app.provider.spoilAccessToken()
    await app.call('whoami')
    const successor = app.provider.refreshToken
    app.provider.spoilAccessToken(spent)
    await app.call('whoami')
    expect(app.provider.refreshToken).toBe(successor)
    app.provider.spoilAccessToken()
    await app.call('whoami')
    expect(app.provider.refreshToken).not.toBe(successor)
    expect(app.provider.asked).toHaveLength(1)
  })

  test('has to ask the person when somebody has used its refresh token before it', async () => {
    const app = await signIn(kind, { url: server.url })
    const stolen = app.provider.refreshToken
    const thief = await refresh(server.origin, app.provider, stolen)
    await refresh(server.origin, app.provider, thief.body.refresh_token)
    app.provider.spoilAccessToken()
    await expect(app.call('whoami')).rejects.toThrow('Unauthorized')
    expect(app.provider.asked).toHaveLength(2)
    const { status } = await sendMessage(server.url, {
      token: thief.body.access_token,
      method: 'ping',
    })
    expect(status).toBe(401)

    await answer(app)
    expect((await app.call('whoami')).structuredContent.subject).toBe('owner')
  })

  test('registers again by itself when its id is not known any more', async () => {
    const app = await signIn(kind, { url: server.url })
    const { issuer } = app.provider.clientInformation() ?? {}
    app.provider.saveClientInformation({ client_id: 'gone', ...(issuer && { issuer }) })
    app.provider.spoilAccessToken()
    app.requests()
    await expect(app.call('whoami')).rejects.toThrow('Unauthorized')
    expect(app.requests().filter((line) => !line.startsWith('GET /.well-known/'))).toEqual([
      REFRESHED[kind][0],
      'POST /token 401',
      'POST /register 201',
    ])
    await answer(app)
    // It is another client now, so it has another session, where it has one.
    const again = createApp(kind, { url: server.url, provider: app.provider })
    expect(await again.connect()).toBe('connected')
    expect((await again.call('whoami')).structuredContent).toMatchObject({
      subject: 'owner',
      clientId: app.provider.clientInformation()?.client_id,
    })
  })

  test('finds everything again when it has kept nothing but its tokens', async () => {
    const app = await signIn(kind, { url: server.url })
    app.provider.invalidateCredentials('discovery')
    app.provider.spoilAccessToken()
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
  '%s may refresh with many calls at once, and none of them fails',
  async (kind) => {
    const app = await signIn(kind, { url: server.url })
    app.provider.spoilAccessToken()
    const calls = Array.from({ length: 8 }, () => app.call('whoami'))
    const subjects = (await Promise.all(calls)).map(({ structuredContent }) => structuredContent)
    expect(subjects.map(({ subject }) => subject)).toEqual(Array(8).fill('owner'))
    expect(app.provider.asked).toHaveLength(1)
  },
)

test('apps of one person refresh without disturbing each other', async () => {
  const apps = await Promise.all(KINDS.map((kind) => signIn(kind, { url: server.url })))
  for (const { provider } of apps) provider.spoilAccessToken()
  await Promise.all(apps.map((app) => app.call('whoami')))
  const again = createApp('v2', { url: server.url, provider: apps[0]?.provider })
  expect(await again.connect()).toBe('connected')
  expect(apps.map(({ provider }) => provider.asked.length)).toEqual([1, 1, 1, 1])
})
