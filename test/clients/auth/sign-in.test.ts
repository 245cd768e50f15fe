/** From the URL of the endpoint to the first call, without any setup. */
import { describe, expect, test } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { authorize, createApp, KINDS } from './app.ts'
import { answerConsent, openBrowser, withoutPrompt } from './browser.ts'
import { CONFIDENTIAL, MemoryProvider } from './memory-provider.ts'
import { useProtectedServer } from './protected-server.ts'

const server = useProtectedServer()

const DISCOVERY = [
  'POST /mcp 401',
  'GET /.well-known/oauth-protected-resource/mcp 200',
  'GET /.well-known/oauth-authorization-server 200',
  'POST /register 201',
]

const PINNED = {
  v1: {
    discovery: DISCOVERY,
    calls: ['POST /mcp 200', 'POST /mcp 202', 'POST /mcp 200'],
    scope: 'read write',
    resource: '/mcp',
    era: 'session',
  },
  'v1 over HTTP+SSE': {
    discovery: [
      'GET /sse 401',
      'GET /.well-known/oauth-protected-resource/sse 200',
      'GET /.well-known/oauth-authorization-server 200',
      'POST /register 201',
    ],
    calls: ['POST /messages 202', 'POST /messages 202', 'POST /messages 202'],
    scope: 'read write',
    resource: '/sse',
    era: 'http-sse',
  },
  v2: {
    discovery: DISCOVERY,
    calls: ['POST /mcp 200', 'POST /mcp 202', 'POST /mcp 200'],
    scope: 'read write offline_access',
    resource: '/mcp',
    era: 'session',
  },
  'v2, modern': {
    discovery: DISCOVERY,
    calls: ['POST /mcp 200', 'POST /mcp 200'],
    scope: 'read write offline_access',
    resource: '/mcp',
    era: 'modern',
  },
}

const EXPECTED = { ...PINNED, 'v2, negotiating': PINNED['v2, modern'] }

describe.each([...KINDS, 'v2, negotiating'] as const)('%s', (kind) => {
  test('discovers, registers, is authorized, obtains tokens and calls', async () => {
    verifies('authorization/oauth-2-1', 'authorization-discovery/client-uses-resource-metadata')
    verifies('authorization-discovery/client-discovery')
    verifies('authorization-discovery/client-supports-both-metadata')
    verifies('authorization-security/secure-considerations-of-pages')
    const { discovery, calls, scope, resource, era } = EXPECTED[kind]
    const app = createApp(kind, { url: server.url })
    expect(await app.connect()).toBe('redirected')
    expect(app.requests()).toEqual(discovery)

    const { url, state } = app.provider.pending
    expect(url.origin + url.pathname).toBe(`${server.origin}/authorize`)
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      redirect_uri: 'http://127.0.0.1:43117/callback',
      scope,
      resource: server.origin + resource,
    })
    const callback = await answerConsent(openBrowser(), url)
    expect(callback.origin + callback.pathname).toBe('http://127.0.0.1:43117/callback')
    expect([...callback.searchParams.keys()].sort()).toEqual(['code', 'iss', 'state'])
    expect(callback.searchParams.get('iss')).toBe(server.origin)
    expect(callback.searchParams.get('state')).toBe(state)

    await app.finish(callback)
    expect(app.requests()).toEqual(['POST /token 200'])
    expect(app.provider.received).toHaveLength(1)
    expect(app.provider.received[0]).toMatchObject({
      token_type: 'Bearer',
      expires_in: 86_400,
      scope: 'read write',
      refresh_token: expect.any(String),
    })

    expect(await app.connect()).toBe('connected')
    const { structuredContent } = await app.call('whoami')
    expect(structuredContent).toMatchObject({
      subject: 'owner',
      clientId: app.provider.clientInformation()?.client_id,
      scopes: ['read', 'write'],
      era,
    })
    expect(app.requests()).toEqual(calls)
    expect(app.provider.authorizationUrls).toHaveLength(1)
  })

  test('connects again with stored tokens', async () => {
    const first = createApp(kind, { url: server.url })
    await first.connect()
    await authorize(first)
    const again = createApp(kind, { url: server.url, provider: first.provider })
    expect(await again.connect()).toBe('connected')
    expect((await again.call('whoami')).structuredContent.subject).toBe('owner')
    expect(again.requests()).toEqual(EXPECTED[kind].calls)
  })
})

describe.each(['v1', 'v2', 'v2, modern'] as const)('%s', (kind) => {
  test.each(['client_secret_basic', 'client_secret_post'])(
    'authenticates with a secret by %s',
    async (method) => {
      const provider = new MemoryProvider({ metadata: { token_endpoint_auth_method: method } })
      const app = createApp(kind, { url: server.url, provider })
      await app.connect()
      expect(provider.clientInformation()).toMatchObject({
        token_endpoint_auth_method: method,
        client_secret: expect.stringMatching(/^[\w-]{40,}$/),
      })
      await authorize(app)
      expect(await app.connect()).toBe('connected')
      expect((await app.call('whoami')).structuredContent.subject).toBe('owner')
    },
  )
})

test.each(['v1', 'v2'] as const)(
  '%s is authorized without metadata, as in revision 2025-03-26',
  async (kind) => {
    verifies('authorization-discovery/default-paths')
    verifies('authorization-discovery/client-default-paths')
    const withoutMetadata: typeof fetch = async (input, init) =>
      String(input).includes('/.well-known/')
        ? new Response(null, { status: 404 })
        : fetch(input, init)
    const app = createApp(kind, { url: server.url, fetch: withoutMetadata })
    expect(await app.connect()).toBe('redirected')
    const { url } = app.provider.pending
    expect(url.pathname).toBe('/authorize')
    expect(url.searchParams.has('resource')).toBe(false)
    await authorize(app)
    expect(await app.connect()).toBe('connected')
    app.provider.invalidateAccessToken()
    expect((await app.call('whoami')).structuredContent.subject).toBe('owner')
    const requests = app.requests().filter((line) => !line.includes('/.well-known/'))
    expect(requests.filter((line) => !line.includes(' /mcp '))).toEqual([
      'POST /register 201',
      'POST /token 200',
      'POST /token 200',
    ])
  },
)

describe('the person', () => {
  test.each(KINDS)('may deny, and %s receives access_denied with the issuer', async (kind) => {
    const app = createApp(kind, { url: server.url })
    await app.connect()
    const { url, state } = app.provider.pending
    const callback = await answerConsent(openBrowser(), url, { decision: 'deny' })
    expect(Object.fromEntries(callback.searchParams)).toEqual({
      error: 'access_denied',
      error_description: 'The request was denied',
      iss: server.origin,
      state,
    })
    await expect(app.finish(callback)).rejects.toThrow()
    expect(app.provider.received).toEqual([])
    expect(await app.connect()).toBe('redirected')
  })

  test('consents once to the same app and scopes, and again where the app sends prompt=consent', async () => {
    const browser = openBrowser()
    const provider = new MemoryProvider(CONFIDENTIAL)
    const app = createApp('v2', { url: server.url, provider })
    await app.connect()
    await authorize(app, { browser })
    provider.setTokens(undefined)
    expect(await app.connect()).toBe('redirected')
    // The official clients send it whenever they request offline_access.
    expect(provider.pending.url.searchParams.get('prompt')).toBe('consent')
    const shown = await browser.open(provider.pending.url)
    expect([shown.status, shown.location]).toEqual([200, undefined])
    const { location } = await browser.open(withoutPrompt(provider.pending.url))
    expect(location?.searchParams.get('state')).toBe(provider.pending.state)
    expect(location?.searchParams.get('code')).toBeTruthy()
    const otherBrowser = await openBrowser().open(withoutPrompt(provider.pending.url))
    expect([otherBrowser.status, otherBrowser.location]).toEqual([200, undefined])
  })
})
