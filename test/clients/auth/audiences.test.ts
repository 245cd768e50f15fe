/** Two resources of one issuer, whose tokens and sessions are not interchangeable. */
import { describe, expect, test } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { createApp, SESSION_KINDS, signIn } from './app.ts'
import { useProtectedServer } from './protected-server.ts'
import { refresh, sendMessage } from './raw.ts'

const server = useProtectedServer()

const other = () => `${server.origin}/other`

describe.each(['v1', 'v2', 'v2, modern'] as const)('%s', (kind) => {
  test('discovers and registers for the second resource', async () => {
    verifies('authorization/resource-parameter')
    const app = createApp(kind, { url: other() })
    expect(await app.connect()).toBe('redirected')
    expect(app.requests()).toEqual([
      'POST /other 401',
      'GET /.well-known/oauth-protected-resource/other 200',
      'GET /.well-known/oauth-authorization-server 200',
      'POST /register 201',
    ])
    expect(app.provider.pending.url.searchParams.get('resource')).toBe(other())
  })

  test('is accepted at the resource of its token and rejected at the other', async () => {
    verifies('authorization/audience-is-validated', 'authorization/own-tokens-only')
    verifies('oauth-2-1-resource-requests/token-and-scope-are-validated')
    verifies('oauth-2-1-security/audience-of-tokens')
    const [here, there] = [
      await signIn(kind, { url: server.url }),
      await signIn(kind, { url: other() }),
    ]
    expect((await there.call('whoami')).structuredContent.subject).toBe('owner')
    const crossings = [
      { url: other(), token: here.provider.accessToken, path: '/other' },
      { url: server.url, token: there.provider.accessToken, path: '/mcp' },
    ]
    for (const { url, token, path } of crossings) {
      const { status, headers } = await sendMessage(url, { token, method: 'ping' })
      expect(status).toBe(401)
      expect(headers.get('www-authenticate')).toBe(
        `Bearer resource_metadata="${server.origin}/.well-known/oauth-protected-resource${path}", ` +
          'scope="read write", error="invalid_token", ' +
          'error_description="The access token was issued for another resource"',
      )
    }
  })

  test('refreshes for its own resource and not for the other', async () => {
    verifies('authorization/resource-parameter')
    const app = await signIn(kind, { url: other() })
    app.provider.invalidateAccessToken()
    expect((await app.call('whoami')).structuredContent.subject).toBe('owner')
    const { provider } = app
    const named = { resource: server.url }
    const refused = await refresh(server.origin, provider, provider.refreshToken, named)
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_target'])
    // A rejected refresh does not use up the refresh token.
    app.provider.invalidateAccessToken()
    expect((await app.call('whoami')).structuredContent.subject).toBe('owner')
  })
})

test.each(SESSION_KINDS)(
  'a session of %s at one resource is unknown at the other',
  async (kind) => {
    const here = await signIn(kind, { url: server.url })
    const there = await signIn(kind, { url: other() })
    const headers = { 'mcp-session-id': String(here.sessionId()) }
    const { status } = await sendMessage(other(), {
      token: there.provider.accessToken,
      headers,
      method: 'ping',
    })
    expect(status).toBe(404)
  },
)

test('a token for the path of the older transport is valid at the first resource', async () => {
  const app = await signIn('v1 over HTTP+SSE', { url: server.url })
  const { status } = await sendMessage(server.url, {
    token: app.provider.accessToken,
    method: 'ping',
  })
  expect(status).toBe(200)
})
