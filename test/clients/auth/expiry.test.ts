/** Tokens that end by themselves, on a server whose durations are a few seconds. */
import { beforeAll, expect, test } from 'vitest'
import type { Received } from '../sessions/session-client.ts'
import { KINDS, signIn } from './app.ts'
import { goAllTheWay, register } from './by-hand.ts'
import { useProtectedServer } from './protected-server.ts'
import { refresh, sendForm, sendMessage } from './raw.ts'

const server = useProtectedServer(() => ({ short: true }))

/** Tokens that are left to themselves from the start, so that nothing has to be waited for twice. */
let left: { readonly credentials: Readonly<Record<string, string>>; readonly refreshToken: string }

beforeAll(async () => {
  const redirectUri = 'http://127.0.0.1:1/callback'
  const { body } = await register(server.origin, {
    redirect_uris: [redirectUri],
    token_endpoint_auth_method: 'client_secret_post',
  })
  const { client_id: clientId, client_secret: clientSecret } = body
  const { tokens } = await goAllTheWay({
    origin: server.origin,
    clientId,
    clientSecret,
    redirectUri,
  })
  left = {
    credentials: { client_id: clientId, client_secret: clientSecret },
    refreshToken: tokens.body.refresh_token,
  }
  expect(await introspect()).toMatchObject({ active: true, scope: 'read write' })
})

async function introspect(): Promise<Received> {
  const { credentials, refreshToken } = left
  return (await sendForm(`${server.origin}/introspect`, { ...credentials, token: refreshToken }))
    .body
}

function untilRefused(token: string): Promise<void> {
  const status = async () => (await sendMessage(server.url, { token, method: 'ping' })).status
  return expect.poll(status, { timeout: 20_000, interval: 100 }).toBe(401)
}

test('an access token ends when it said it would, and its app goes on by itself', async () => {
  const startedAt = Date.now()
  const apps = await Promise.all(KINDS.map((kind) => signIn(kind, { url: server.url })))
  const before = await Promise.all(apps.map((app) => app.call('whoami')))
  expect(apps[0]?.provider.received[0]?.expires_in).toBe(5)
  await Promise.all(apps.map(({ provider }) => untilRefused(provider.accessToken)))
  // Five seconds, as it said, and no more than a busy machine may add.
  expect(Date.now() - startedAt).toBeLessThan(9000)

  const after = await Promise.all(apps.map((app) => app.call('whoami')))
  expect(after.map(({ structuredContent }) => structuredContent)).toEqual(
    before.map(({ structuredContent }) => structuredContent),
  )
  expect(apps.map(({ provider }) => provider.received.length)).toEqual([2, 2, 2, 2])
  expect(apps.map(({ provider }) => provider.asked.length)).toEqual([1, 1, 1, 1])
})

test('a spent refresh token gives its successor for the time of the grace, and then ends it all', async () => {
  const { provider } = await signIn('v2', { url: server.url })
  const spent = provider.refreshToken
  const { body: first } = await refresh(server.origin, provider, spent)
  const successors = new Set([first.refresh_token])
  let error: string | undefined
  const repeat = async () => {
    const { status, body } = await refresh(server.origin, provider, spent)
    if (status === 200) successors.add(body.refresh_token)
    error = body.error
    return status
  }
  await expect.poll(repeat, { timeout: 10_000, interval: 100 }).toBe(400)
  expect(error).toBe('invalid_grant')
  expect(successors.size).toBe(1)
  const { body } = await refresh(server.origin, provider, first.refresh_token)
  expect(body.error).toBe('invalid_grant')
  await untilRefused(first.access_token)
})

test('a refresh token that is not used ends, too', async () => {
  const { credentials, refreshToken } = left
  // It is only looked at: a refresh would begin the time anew.
  await expect.poll(introspect, { timeout: 20_000, interval: 100 }).toEqual({ active: false })
  const { status, body } = await sendForm(`${server.origin}/token`, {
    ...credentials,
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
  })
  expect([status, body.error]).toEqual([400, 'invalid_grant'])
})
