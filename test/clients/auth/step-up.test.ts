/** Step-up: apps with the scope `read` that later need `write`. */
import { describe, expect, test } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { type App, authorize, KINDS, signIn } from './app.ts'
import type { Kind } from './connection.ts'
import { useProtectedServer } from './protected-server.ts'

const server = useProtectedServer()

const READ = { scope: 'read' }

async function scopesOf(app: App): Promise<readonly string[]> {
  return (await app.call('whoami')).structuredContent.scopes
}

/** Clients that request a missing scope on their own. */
const REQUESTS_SCOPE_ITSELF: readonly Kind[] = ['v2', 'v2, modern']

describe.each(KINDS)('%s', (kind) => {
  test('obtains a further scope and keeps its session', async () => {
    const app = await signIn(kind, { url: server.url, ...READ })
    const { sessionId } = (await app.call('whoami')).structuredContent
    await expect(app.call('needs_scope')).rejects.toThrow()
    if (!REQUESTS_SCOPE_ITSELF.includes(kind)) await app.requestScope('read write')

    const { url } = app.provider.pending
    expect(url.searchParams.get('scope')?.replace(' offline_access', '')).toBe('read write')
    await authorize(app)
    expect((await app.call('needs_scope')).content).toEqual([{ type: 'text', text: 'written' }])
    expect((await app.call('whoami')).structuredContent).toMatchObject({
      sessionId,
      scopes: ['read', 'write'],
    })
    expect(app.provider.authorizationUrls).toHaveLength(2)
  })
})

test.each(['v2', 'v2, modern'] as const)(
  '%s requests the missing scope after a 403',
  async (kind) => {
    verifies('authorization/challenged-scopes')
    const app = await signIn(kind, { url: server.url, ...READ })
    app.requests()
    await expect(app.call('needs_scope')).rejects.toThrow('Unauthorized')
    // No refresh, which could not add a scope.
    expect(app.requests()).toEqual(['POST /mcp 403'])
    expect(app.provider.authorizationUrls).toHaveLength(2)
  },
)

test('v1 requests the missing scope only without a refresh token', async () => {
  const [refreshing, other] = [
    await signIn('v1', { url: server.url, ...READ }),
    await signIn('v1', { url: server.url, ...READ }),
  ]
  await expect(refreshing.call('needs_scope')).rejects.toThrow('403 after trying upscoping')
  expect(refreshing.provider.authorizationUrls).toHaveLength(1)
  expect(await scopesOf(refreshing)).toEqual(['read'])

  const { access_token = '', token_type = '' } = other.provider.tokens() ?? {}
  other.provider.setTokens({ access_token, token_type })
  await expect(other.call('needs_scope')).rejects.toThrow('Unauthorized')
  expect(other.provider.pending.url.searchParams.get('scope')).toBe('read write')
  await authorize(other)
  expect((await other.call('needs_scope')).content[0].text).toBe('written')
})
