/** Step-up: apps with the scope `read` that later need `write`. */
import { describe, expect, test } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { type App, authorize, KINDS, type Kind, signIn } from './app.ts'
import { answerConsent, openBrowser, withoutPrompt } from './browser.ts'
import { CONFIDENTIAL, MemoryProvider } from './memory-provider.ts'
import { useProtectedServer } from './protected-server.ts'
import { refresh, sendMessage } from './raw.ts'

const server = useProtectedServer()

const READ = { scope: 'read' }

async function scopesOf(app: App): Promise<readonly string[]> {
  return (await app.call('whoami')).structuredContent.scopes
}

/** Clients that request a missing scope on their own. */
const REQUESTS_SCOPE_ITSELF: readonly Kind[] = ['v2', 'v2, modern']

describe.each(KINDS)('%s', (kind) => {
  test('is granted exactly the scope that it requests', async () => {
    const app = await signIn(kind, { url: server.url, ...READ })
    expect(app.provider.received[0]?.scope).toBe('read')
    expect(await scopesOf(app)).toEqual(['read'])
    expect(app.provider.authorizationUrls).toHaveLength(1)
  })

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

  test('keeps its scope when the person denies another', async () => {
    const app = await signIn(kind, { url: server.url, ...READ })
    await app.requestScope('read write')
    const { url } = app.provider.pending
    const callback = await answerConsent(openBrowser(), url, { decision: 'deny' })
    expect(callback.searchParams.get('error')).toBe('access_denied')
    expect(await scopesOf(app)).toEqual(['read'])
  })

  test('keeps its scopes after a refresh', async () => {
    const app = await signIn(kind, { url: server.url })
    app.provider.invalidateAccessToken()
    expect((await app.call('needs_scope')).content[0].text).toBe('written')
    expect(await scopesOf(app)).toEqual(['read', 'write'])
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

test('a further scope needs a new consent, and an approved scope does not', async () => {
  const browser = openBrowser()
  const provider = new MemoryProvider(CONFIDENTIAL)
  const app = await signIn('v2', { url: server.url, browser, provider, ...READ })
  await app.requestScope('read write')
  const wider = await browser.open(withoutPrompt(app.provider.pending.url))
  expect([wider.status, wider.location]).toEqual([200, undefined])
  expect(wider.html.includes('Change the data')).toBe(true)
  await authorize(app, { browser })
  await app.requestScope('read')
  const narrower = await browser.open(withoutPrompt(app.provider.pending.url))
  expect(narrower.location?.searchParams.get('code')).toBeTruthy()
})

test('the challenge of a 403 names metadata URL, needed scope and held scopes', async () => {
  const app = await signIn('v2', { url: server.url, ...READ })
  const { status, headers, body } = await sendMessage(server.url, {
    token: app.provider.accessToken,
    method: 'tools/call',
    params: { name: 'needs_scope', arguments: {} },
  })
  expect(status).toBe(403)
  expect(headers.get('www-authenticate')).toBe(
    `Bearer resource_metadata="${server.origin}/.well-known/oauth-protected-resource/mcp", ` +
      'scope="read write", error="insufficient_scope", ' +
      'error_description="This needs the scope write"',
  )
  expect(headers.get('content-type')).toBe('application/json')
  expect(body).toMatchObject({ jsonrpc: '2.0', id: 1, error: { code: expect.any(Number) } })
})

test('a refresh can narrow the scope of a grant and never widen it', async () => {
  verifies('oauth-2-1-endpoints/refresh-tokens-keep-scope-and-resource')
  const app = await signIn('v2', { url: server.url })
  const narrow = await refresh(server.origin, app.provider, app.provider.refreshToken, READ)
  expect(narrow.body.scope).toBe('read')
  const call = { method: 'tools/call', params: { name: 'needs_scope', arguments: {} } }
  const refused = await sendMessage(server.url, { token: narrow.body.access_token, ...call })
  expect(refused.status).toBe(403)
  const { refresh_token: next } = narrow.body
  const all = await refresh(server.origin, app.provider, next, { scope: 'read write' })
  expect([all.status, all.body.scope]).toEqual([200, 'read write'])

  const reader = await signIn('v2', { url: server.url, ...READ })
  const { refreshToken } = reader.provider
  const wide = await refresh(server.origin, reader.provider, refreshToken, { scope: 'read write' })
  expect([wide.status, wide.body.error]).toEqual([400, 'invalid_scope'])
  expect(await refresh(server.origin, reader.provider, refreshToken)).toMatchObject({ status: 200 })
})
