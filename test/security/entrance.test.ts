import { describe, expect, it } from 'vitest'
import type { FullOptions } from '../support/full-app.ts'
import { initializeHttpSse } from '../support/http-sse-client.ts'
import { createSampleServer } from '../support/sample-server.ts'
import { openSession, openSessionApp } from '../support/session-client.ts'
import { MODERN, modernRequest, openApp, read, type TestApp } from '../support/test-app.ts'
import { verifies } from '../support/verifies.ts'

const REVISIONS = [MODERN, '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']

function request(url: string, version: string, headers: Record<string, string>, method = 'POST') {
  const { body, headers: mirrored } = modernRequest('tools/list')
  const modern = version === MODERN
  const all = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(modern ? (mirrored as Record<string, string>) : { 'mcp-protocol-version': version }),
    ...headers,
  }
  const message = modern ? body : { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  return new Request(url, {
    method,
    headers: all,
    ...(method === 'POST' && { body: JSON.stringify(message) }),
  })
}

const statusOf = async (
  url: string,
  origin: string | undefined,
  options: FullOptions = {},
  version = MODERN,
) => {
  const app = openApp(createSampleServer(), options)
  const response = await app.fetch(request(url, version, origin === undefined ? {} : { origin }))
  const { status, body, headers } = await read(response)
  if (status === 403) {
    expect(body.error.code).toBe(-32600)
    expect(headers.get('access-control-allow-origin')).toBeNull()
  }
  return status
}

const LOCAL = 'http://localhost:8787/mcp'
const PUBLIC = 'https://notes.example/mcp'

describe.each(REVISIONS)('the host and origin checks under %s', (version) => {
  const TABLE: readonly [string, string | undefined, number][] = [
    [LOCAL, undefined, 200],
    [LOCAL, 'http://localhost:8787', 200],
    [LOCAL, 'http://localhost:6274', 200],
    [LOCAL, 'http://127.0.0.1:6274', 200],
    [LOCAL, 'http://[::1]:1', 200],
    [LOCAL, 'https://localhost', 200],
    [LOCAL, 'null', 403],
    [LOCAL, '', 403],
    [LOCAL, 'http://evil.example', 403],
    [LOCAL, 'http://localhost.evil.example', 403],
    [LOCAL, 'http://127.0.0.1.evil.example', 403],
    [LOCAL, 'http://localhost@evil.example', 403],
    [LOCAL, 'http://evil.example/?localhost', 403],
    [LOCAL, 'http://localhost, http://evil.example', 403],
    [LOCAL, 'http://evil.example, http://localhost', 403],
    [LOCAL, 'http://localhost/path', 403],
    [LOCAL, 'file://localhost', 403],
    [LOCAL, 'chrome-extension://localhost', 403],
    ['http://127.0.0.1:8787/mcp', 'http://localhost:8787', 200],
    ['http://[::1]:8787/mcp', 'http://127.0.0.1', 200],
    ['http://evil.example:8787/mcp', undefined, 403],
    ['http://evil.example:8787/mcp', 'http://evil.example:8787', 403],
    ['http://localhost.evil.example/mcp', undefined, 403],
    ['http://128.0.0.1/mcp', undefined, 403],
    [PUBLIC, undefined, 200],
    [PUBLIC, 'https://notes.example', 200],
    [PUBLIC, 'http://notes.example', 403],
    [PUBLIC, 'https://notes.example:8443', 403],
    [PUBLIC, 'https://evil.example', 403],
    [PUBLIC, 'https://notes.example.evil.example', 403],
    [PUBLIC, 'http://localhost:6274', 403],
    [PUBLIC, 'null', 403],
  ]
  it.each(TABLE)('answer a request to %s from origin %j with %i', async (url, origin, status) => {
    verifies('streamable-http/origin-is-validated', 'streamable-http/invalid-origin-is-refused')
    verifies('oauth-2-1-clients/confidential-tokens', 'bearer-tokens/tls')
    verifies('protected-resource-metadata/tls', 'dpop/with-https')
    verifies('authorization-security/communication-security', {
      row: 'http://evil.example:8787/mcp',
    })
    verifies('authorization-security/https-endpoints', { row: 'http://evil.example:8787/mcp' })
    verifies('enterprise-managed-authorization/tls', { row: 'http://evil.example:8787/mcp' })
    verifies('enterprise-managed-authorization/insecure-channels', {
      row: 'http://evil.example:8787/mcp',
    })
    verifies('enterprise-managed-authorization/codes', { row: 'http://evil.example:8787/mcp' })
    verifies('oauth-2-1-clients/bearer-confidentiality', { row: 'http://evil.example:8787/mcp' })
    verifies('oauth-2-1-clients/secure-transport', { row: 'http://evil.example:8787/mcp' })
    verifies('oauth-2-0/tls-for-secrets', { row: 'http://evil.example:8787/mcp' })
    verifies('authorization-server-metadata/tls', { row: 'http://evil.example:8787/mcp' })
    verifies('dynamic-client-registration/tls', { row: 'http://evil.example:8787/mcp' })
    verifies('token-revocation/tls', { row: 'http://evil.example:8787/mcp' })
    verifies('token-introspection/tls', { row: 'http://evil.example:8787/mcp' })
    expect(await statusOf(url, origin, {}, version)).toBe(status)
  })
})

describe('the options allowedOrigins and allowedHosts', () => {
  it('allow only the listed origins on a public host', async () => {
    verifies('streamable-http/invalid-origin-is-refused')
    const options = { allowedOrigins: ['https://app.example'] }
    expect(await statusOf(PUBLIC, 'https://app.example', options)).toBe(200)
    expect(await statusOf(PUBLIC, 'https://notes.example', options)).toBe(403)
    expect(await statusOf(PUBLIC, 'https://app.example.evil', options)).toBe(403)
  })
  it('allow all origins on a public host with *, but not on a loopback host', async () => {
    const options = { allowedOrigins: ['*'] }
    expect(await statusOf(PUBLIC, 'https://any.example', options)).toBe(200)
    expect(await statusOf(LOCAL, 'https://any.example', options)).toBe(403)
  })
  it('serve a listed host over plain http', async () => {
    const options = { allowedHosts: ['Box.lan'] }
    expect(await statusOf('http://box.lan:8787/mcp', undefined, options)).toBe(200)
    expect(await statusOf('http://other.lan:8787/mcp', undefined, options)).toBe(403)
  })
})

describe('a request of a foreign origin', async () => {
  const app = openSessionApp()
  const session = await openSession({}, app)
  const older = await initializeHttpSse(app)
  const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })

  it.each([
    ['POST', '/mcp'],
    ['GET', '/mcp'],
    ['DELETE', '/mcp'],
    ['GET', '/sse'],
    ['POST', `/messages?sessionId=${older.id}`],
  ])('is refused with 403 and has no effect: %s %s', async (method, path) => {
    verifies('streamable-http/origin-is-validated')
    const send = (origin: string) =>
      app.fetch(
        new Request(new URL(path, LOCAL), {
          method,
          headers: {
            origin,
            accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
            'content-type': 'application/json',
            ...(path === '/mcp' && { 'mcp-session-id': session.id }),
          },
          ...(method === 'POST' && { body: ping }),
        }),
      )
    const { status, body } = await read(await send('https://evil.example'))
    expect([status, body.error.code]).toEqual([403, -32600])
    expect((await session.send('ping')).status).toBe(200)
    // The same request of an allowed origin is served. A DELETE would end the session of the next row.
    if (method === 'DELETE') return
    const served = await send('http://localhost:6274')
    expect([200, 202]).toContain(served.status)
    await served.body?.cancel()
  })
})

describe('CORS', () => {
  const app = openApp(createSampleServer())
  const origin = 'http://localhost:6274'

  it('answers a preflight with the allowed methods and headers', async () => {
    const response = await app.fetch(
      new Request(LOCAL, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers':
            'content-type, Mcp-Param-Region, x-other, mcp-param-b@d',
        },
      }),
    )
    expect([response.status, await response.text()]).toEqual([204, ''])
    expect(response.headers.get('access-control-allow-origin')).toBe(origin)
    expect(response.headers.get('access-control-allow-credentials')).toBeNull()
    expect(response.headers.get('access-control-allow-methods')).toBe('GET, POST, DELETE, OPTIONS')
    expect(response.headers.get('vary')).toBe('Origin')
    expect(response.headers.get('access-control-allow-headers')).toBe(
      'authorization, dpop, content-type, accept, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name, last-event-id, mcp-param-region, x-other',
    )
  })

  it('refuses a preflight of another origin', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' }
    expect((await app.fetch(new Request(LOCAL, { method: 'OPTIONS', headers }))).status).toBe(403)
  })

  it('adds its headers to results, errors, refusals and streams', async () => {
    const exposed = 'mcp-session-id, mcp-protocol-version, www-authenticate, retry-after'
    for (const headers of [
      (await app.modern('tools/list', {}, { headers: { origin } })).headers,
      (await app.modern('nope', {}, { headers: { origin } })).headers,
      (await app.modern('tools/list', {}, { headers: { origin, accept: 'text/event-stream' } }))
        .headers,
      (await app.post('{', { origin })).headers,
      (await app.post({ jsonrpc: '2.0', method: 'notifications/x' }, { origin })).headers,
      (await app.fetch(new Request(LOCAL, { headers: { origin } }))).headers,
    ]) {
      expect(headers.get('access-control-allow-origin')).toBe(origin)
      expect(headers.get('access-control-expose-headers')).toBe(exposed)
      expect(headers.get('vary')).toBe('Origin')
    }
  })
})

describe('the paths and methods of the app', () => {
  const app = openApp(createSampleServer())

  it.each(['GET', 'DELETE', 'PUT', 'PATCH', 'HEAD'])(
    'answer %s with 405 and the allowed methods when no sessions are bound',
    async (method) => {
      verifies('streamable-http/message-is-a-post', 'streamable-http/get-is-a-stream-or-405')
      const response = await app.fetch(new Request(LOCAL, { method }))
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
      expect(response.headers.get('content-type')).toBe('application/json')
    },
  )

  it('serve the endpoint with a trailing slash without a redirect', async () => {
    verifies('streamable-http/endpoint-with-post')
    expect((await app.fetch(request(`${LOCAL}/`, MODERN, {}))).status).toBe(200)
  })

  it.each([
    '/MCP',
    '/mcp/x',
    '/register',
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-authorization-server',
    '/sse',
    '/messages',
  ])('answer the unknown path %s with 404 in JSON', async (path) => {
    verifies('streamable-http/endpoint-with-post')
    const response = await app.fetch(new Request(`http://localhost:8787${path}`))
    expect(response.status).toBe(404)
    expect(await response.json()).toEqual({
      error: 'not_found',
      message: 'The MCP endpoint is /mcp',
    })
  })

  it.each(['mcp', '/', '/a/', '/a*', '/:id', ''])(
    'reject the invalid endpoint path %j at construction',
    (path) => {
      expect(() => openApp(createSampleServer(), { path })).toThrow(TypeError)
    },
  )
})

describe('strict mode', () => {
  const strict = openApp(createSampleServer(), { strict: true })
  const lenient = openApp(createSampleServer())
  const { body, headers } = modernRequest('tools/list')
  const utf8 = (text: string) => new TextEncoder().encode(text)
  const text = utf8(JSON.stringify(body))
  const TABLE: readonly [string, unknown, Record<string, string | null>, number, number][] = [
    ['accept-incomplete', text, { accept: 'application/json' }, 200, 406],
    ['accept-incomplete', text, { accept: '*/*' }, 200, 406],
    ['accept-incomplete', text, { accept: null }, 200, 406],
    ['content-type-missing', text, { 'content-type': null }, 200, 415],
    [
      'unexpected-response',
      { jsonrpc: '2.0', id: 1, result: {} },
      { 'mcp-protocol-version': '2025-11-25' },
      202,
      400,
    ],
    [
      'protocol-version-header-unknown',
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { 'mcp-protocol-version': '2030-01-01' },
      200,
      400,
    ],
    [
      'notification-in-modern-era',
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      {},
      202,
      400,
    ],
  ]
  it.each(TABLE)(
    'refuses %s, which is served and reported without it',
    async (name, sent, changed, served, refused) => {
      verifies('streamable-http/accept-lists-both-forms', { row: 'accept-incomplete' })
      verifies('streamable-http/refused-notification-has-an-error-status', {
        row: 'notification-in-modern-era',
      })
      verifies('streamable-http/unsupported-version-header', {
        row: 'protocol-version-header-unknown',
      })

      expect((await lenient.post(sent, { ...headers, ...changed })).status).toBe(served)
      expect(lenient.events.at(-1)).toMatchObject({ type: 'leniency', name })
      expect((await strict.post(sent, { ...headers, ...changed })).status).toBe(refused)
    },
  )
  it('refuses a truncated character, which is decoded as U+FFFD without it', async () => {
    const { body: called, headers } = modernRequest('tools/call', {
      name: 'echo',
      arguments: { text: '@' },
    })
    const [before = '', after = ''] = JSON.stringify(called).split('@')
    const send = (app: TestApp, ...bytes: readonly number[]) => {
      const body = new Uint8Array([...utf8(before), ...bytes, ...utf8(after)])
      return app.post(body, { ...headers, 'content-length': String(body.byteLength) })
    }
    const cut = [0xf0, 0x9f, 0x98]
    expect((await send(strict, ...cut)).status).toBe(400)
    expect((await send(lenient, ...cut)).status).toBe(200)
    for (const app of [strict, lenient]) {
      expect((await send(app, 0xff)).status).toBe(400)
      expect((await send(app, 0xef, 0xbf, 0xbd)).status).toBe(200)
    }
  })

  it('serves requests without faults', async () => {
    expect((await strict.modern('tools/list')).status).toBe(200)
    expect((await strict.session('tools/list')).status).toBe(200)
  })
})

describe('an invalid Host header', () => {
  it.each(['localhost:99999', 'evil.com, localhost', 'a b'])(
    'is refused with 403: %s',
    async (host) => {
      // The platform builds the URL from the header, even if the result cannot be parsed.
      const url = `http://${host}/mcp`
      const unparsable = new Proxy(request(LOCAL, MODERN, {}), {
        get: (target, property) => (property === 'url' ? url : Reflect.get(target, property)),
      })
      const { status, body } = await read(await openApp(createSampleServer()).fetch(unparsable))
      expect([status, body.error.code]).toEqual([403, -32600])
    },
  )
})
