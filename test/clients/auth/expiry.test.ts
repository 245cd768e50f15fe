/** Expiry of tokens, on a server whose lifetimes are a few seconds. */
import { beforeAll, expect, test } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import type { Received } from '../sessions/client-interface.ts'
import { KINDS, signIn } from './app.ts'
import { register, runCodeFlow } from './code-flow.ts'
import { useProtectedServer } from './protected-server.ts'
import { refresh, sendForm, sendMessage } from './raw.ts'

const server = useProtectedServer(() => ({ short: true }))

/** A refresh token that is never used, obtained first so that its lifetime passes during the other tests. */
let unused: {
  readonly credentials: Readonly<Record<string, string>>
  readonly refreshToken: string
}

beforeAll(async () => {
  const redirectUri = 'http://127.0.0.1:1/callback'
  const { body } = await register(server.origin, {
    redirect_uris: [redirectUri],
    token_endpoint_auth_method: 'client_secret_post',
  })
  const { client_id: clientId, client_secret: clientSecret } = body
  const { tokens } = await runCodeFlow({
    origin: server.origin,
    clientId,
    clientSecret,
    redirectUri,
  })
  unused = {
    credentials: { client_id: clientId, client_secret: clientSecret },
    refreshToken: tokens.body.refresh_token,
  }
  expect(await introspect()).toMatchObject({ active: true, scope: 'read write' })
})

async function introspect(): Promise<Received> {
  const { credentials, refreshToken } = unused
  return (await sendForm(`${server.origin}/introspect`, { ...credentials, token: refreshToken }))
    .body
}

function untilRejected(token: string): Promise<void> {
  const status = async () => (await sendMessage(server.url, { token, method: 'ping' })).status
  return expect.poll(status, { timeout: 60_000, interval: 100 }).toBe(401)
}

test('an access token expires as announced, and its app refreshes it', async () => {
  const startedAt = Date.now()
  const apps = await Promise.all(KINDS.map((kind) => signIn(kind, { url: server.url })))
  const before = await Promise.all(apps.map((app) => app.call('whoami')))
  expect(apps[0]?.provider.received[0]?.expires_in).toBe(5)
  await Promise.all(apps.map(({ provider }) => untilRejected(provider.accessToken)))
  // Without the setting they would be valid for an hour.
  expect(Date.now() - startedAt).toBeLessThan(60_000)

  const after = await Promise.all(apps.map((app) => app.call('whoami')))
  expect(after.map(({ structuredContent }) => structuredContent)).toEqual(
    before.map(({ structuredContent }) => structuredContent),
  )
  expect(apps.map(({ provider }) => provider.received.length)).toEqual([2, 2, 2, 2])
  expect(apps.map(({ provider }) => provider.authorizationUrls.length)).toEqual([1, 1, 1, 1])
})

test('a used refresh token returns its successor during the grace and revokes the grant later', async () => {
  verifies('oauth-2-1-grants/replay-of-refresh-tokens')
  const { provider } = await signIn('v2', { url: server.url })
  const used = provider.refreshToken
  const { body: first } = await refresh(server.origin, provider, used)
  const successors = new Set([first.refresh_token])
  let error: string | undefined
  const repeat = async () => {
    const { status, body } = await refresh(server.origin, provider, used)
    if (status === 200) successors.add(body.refresh_token)
    error = body.error
    return status
  }
  await expect.poll(repeat, { timeout: 60_000, interval: 100 }).toBe(400)
  expect(error).toBe('invalid_grant')
  expect(successors.size).toBe(1)
  const { body } = await refresh(server.origin, provider, first.refresh_token)
  expect(body.error).toBe('invalid_grant')
  await untilRejected(first.access_token)
})

test('an unused refresh token expires', async () => {
  const { credentials, refreshToken } = unused
  // Introspection does not extend the lifetime, as a refresh would.
  await expect.poll(introspect, { timeout: 60_000, interval: 100 }).toEqual({ active: false })
  const { status, body } = await sendForm(`${server.origin}/token`, {
    ...credentials,
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
  })
  expect([status, body.error]).toEqual([400, 'invalid_grant'])
})
