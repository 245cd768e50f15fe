/** The options of `createMcpHandler` that decide whom it serves. */
import { env, WorkerEntrypoint } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import {
  type CreateMcpHandlerOptions,
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  McpServer,
  originValidationResponse,
  validateHostHeader,
  validateOriginHeader,
} from '../src/index.ts'
import { handlerRequest, sessionEraRequest, textOf } from './handler-requests.ts'

function createServer() {
  const server = new McpServer({ name: 'policy', version: '1' })
  server.tool('ping', () => ({ content: [{ type: 'text', text: 'pong' }] }))
  return server
}

const HOST = 'https://mcp.example.com/mcp'

/** The status of a call from a web page, or from a client that is no browser. */
async function statusOf(options: CreateMcpHandlerOptions, url: string, origin?: string) {
  const handler = createMcpHandler(createServer, { telemetry: () => undefined, ...options })
  const more: Record<string, string> = origin === undefined ? {} : { origin }
  return (await handler(handlerRequest(url, 'ping', more))).status
}

describe('what createMcpHandler returns', () => {
  it('is a class of entrypoints when it is constructed, as the platform and wrangler dev do', async () => {
    const handler = createMcpHandler(createServer, { route: '/mcp' })
    const Entry = handler as unknown as new (
      ctx: object,
      env: unknown,
    ) => { fetch(request: Request): Promise<Response> }
    expect(Entry.prototype).toBeInstanceOf(WorkerEntrypoint)
    expect(Object.getPrototypeOf(Entry)).toBe(WorkerEntrypoint)
    // `wrangler dev` extends the default export.
    class Wrapped extends Entry {}
    expect(Wrapped.prototype).toBeInstanceOf(WorkerEntrypoint)
    expect(Object.getOwnPropertyNames(Entry.prototype)).toEqual(['constructor', 'fetch'])
    expect(await textOf(await handler(handlerRequest('/mcp', 'ping')))).toBe('pong')
  })
})

describe('createMcpHandler with legacy: reject', () => {
  const handler = createMcpHandler(createServer, { legacy: 'reject', telemetry: () => undefined })

  it('serves the modern revision', async () => {
    expect(await textOf(await handler(handlerRequest('/mcp', 'ping')))).toBe('pong')
  })

  it.each(['initialize', 'tools/call', 'ping'])(
    'refuses %s of an older revision with the versions that it serves',
    async (method) => {
      const response = await handler(sessionEraRequest('/mcp', 'ping', method))
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({
        id: 1,
        error: {
          code: -32022,
          data: { supported: ['2026-07-28'], requested: '2025-11-25' },
        },
      })
    },
  )

  it('refuses a batch, and has no streams and no sessions to end', async () => {
    const headers = { 'content-type': 'application/json', accept: 'application/json' }
    const body = '[{"jsonrpc":"2.0","id":1,"method":"ping"}]'
    const url = 'http://localhost:8787/mcp'
    const batch = await handler(new Request(url, { method: 'POST', headers, body }))
    expect(batch.status).toBe(400)
    expect(await batch.json()).toMatchObject({ error: { code: -32022 } })
    for (const method of ['GET', 'DELETE']) {
      const more = { accept: 'text/event-stream', 'mcp-session-id': 'id' }
      expect((await handler(new Request(url, { method, headers: more }), env)).status).toBe(405)
    }
  })
})

describe('allowedHostnames of createMcpHandler', () => {
  const options = { allowedHostnames: [...localhostAllowedHostnames(), 'mcp.example.com'] }

  it('serves these hosts alone, with any port', async () => {
    expect(await statusOf(options, HOST)).toBe(200)
    expect(await statusOf(options, 'https://mcp.example.com:8443/mcp')).toBe(200)
    expect(await statusOf(options, 'http://localhost:8787/mcp')).toBe(200)
    expect(await statusOf(options, 'https://other.example.com/mcp')).toBe(403)
    expect(await statusOf(options, 'https://mcp.example.com.evil.example/mcp')).toBe(403)
    expect(await statusOf({}, 'https://other.example.com/mcp')).toBe(200)
  })
})

describe('the web pages that createMcpHandler serves', () => {
  it('are those of its own origin by default', async () => {
    expect(await statusOf({}, HOST)).toBe(200)
    expect(await statusOf({}, HOST, 'https://mcp.example.com')).toBe(200)
    expect(await statusOf({}, HOST, 'https://evil.example')).toBe(403)
    expect(await statusOf({}, HOST, 'null')).toBe(403)
    expect(await statusOf({}, 'http://localhost:8787/mcp', 'http://localhost:5173')).toBe(200)
    expect(await statusOf({}, 'http://localhost:8787/mcp', 'https://evil.example')).toBe(403)
  })

  it('are those of allowedOriginHostnames, on any port', async () => {
    const options = { allowedOriginHostnames: ['playground.example'] }
    expect(await statusOf(options, HOST, 'https://playground.example')).toBe(200)
    expect(await statusOf(options, HOST, 'https://playground.example:444')).toBe(200)
    expect(await statusOf(options, HOST, 'https://evil.example')).toBe(403)
    expect(await statusOf(options, HOST, 'null')).toBe(403)
    expect(await statusOf(options, HOST)).toBe(200)
    expect(await statusOf({ allowedOriginHostnames: '*' }, HOST, 'https://any.example')).toBe(200)
    expect(await statusOf(options, 'http://localhost:8787/mcp', 'https://playground.example')).toBe(
      403,
    )
  })

  it('are those of corsOptions.origin and of its own origin', async () => {
    const options = { corsOptions: { origin: 'https://app.example' } }
    expect(await statusOf(options, HOST, 'https://app.example')).toBe(200)
    expect(await statusOf(options, HOST, 'https://mcp.example.com')).toBe(200)
    expect(await statusOf(options, HOST, 'http://app.example')).toBe(403)
    expect(await statusOf(options, HOST, 'https://evil.example')).toBe(403)
    // As in the Agents SDK, * says which pages may read, not which may call.
    expect(await statusOf({ corsOptions: { origin: '*' } }, HOST, 'https://evil.example')).toBe(403)
  })
})

describe('corsOptions of createMcpHandler', () => {
  const preflight = async (corsOptions: CreateMcpHandlerOptions['corsOptions']) => {
    const handler = createMcpHandler(createServer, { corsOptions })
    const headers = { origin: 'https://mcp.example.com', 'access-control-request-method': 'POST' }
    return (await handler(new Request(HOST, { method: 'OPTIONS', headers }))).headers
  }

  it('adds headers and the maximum age to the answer of a preflight', async () => {
    const headers = await preflight({ headers: 'cf-account-id', maxAge: 60 })
    expect(headers.get('access-control-allow-headers')).toMatch(
      /^authorization, .*, cf-account-id$/,
    )
    expect(headers.get('access-control-max-age')).toBe('60')
    expect(headers.get('access-control-allow-origin')).toBe('https://mcp.example.com')
  })

  it('removes the headers of CORS where it is false', async () => {
    const names = [...(await preflight(false)).keys()]
    expect(names.filter((name) => name.startsWith('access-control-'))).toEqual([])
    const handler = createMcpHandler(createServer, { corsOptions: false })
    const more = { origin: 'https://mcp.example.com' }
    const response = await handler(handlerRequest(HOST, 'ping', more))
    expect(response.headers.has('access-control-allow-origin')).toBe(false)
    expect(await textOf(response)).toBe('pong')
  })
})

describe('the checks of Host and Origin of the SDK 2.x', () => {
  const withHeaders = (headers: Record<string, string>) => new Request(HOST, { headers })

  it('return the 403 of a host that is not listed', async () => {
    const names = localhostAllowedHostnames()
    expect(names).toEqual(['localhost', '127.0.0.1', '[::1]'])
    expect(hostHeaderValidationResponse(withHeaders({ host: '[::1]:80' }), names)).toBeUndefined()
    const refused = hostHeaderValidationResponse(withHeaders({ host: 'evil.example' }), names)
    expect(refused?.status).toBe(403)
    expect(await refused?.json()).toEqual({
      jsonrpc: '2.0',
      error: { code: -32000, message: 'Invalid Host: evil.example' },
      id: null,
    })
    expect(validateHostHeader(null, names)).toMatchObject({ errorCode: 'missing_host' })
    expect(validateHostHeader('a b', names)).toMatchObject({ errorCode: 'invalid_host_header' })
  })

  it('return the 403 of an origin that is not listed', () => {
    const names = [...localhostAllowedOrigins(), 'moz-extension://*', 'https://*']
    const check = (origin: string) =>
      originValidationResponse(withHeaders({ origin }), names)?.status ?? 200
    expect(check('http://127.0.0.1:5173')).toBe(200)
    expect(check('moz-extension://abc')).toBe(200)
    expect(check('https://evil.example')).toBe(403)
    expect(check('null')).toBe(403)
    expect(originValidationResponse(withHeaders({}), names)).toBeUndefined()
    expect(validateOriginHeader('nothing', names)).toMatchObject({
      errorCode: 'invalid_origin_header',
    })
  })
})
