import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { verifier } from '../../../src/auth/index.ts'
import { sessions } from '../../../src/features/sessions/index.ts'
import { asks } from '../../../src/index.ts'
import { HttpSession } from '../../../test/support/http-session.ts'
import { type AuthInfo, createLegacyMcpHandler, createMcpHandler, McpServer } from '../src/index.ts'
import { handlerRequest, sessionEraRequest, textOf } from './handler-requests.ts'

function createServer(text = 'pong') {
  const server = new McpServer({ name: 'handled', version: '1' })
  server.tool('ping', () => ({ content: [{ type: 'text', text }] }))
  server.tool('fails', () => {
    throw new Error('It failed')
  })
  return server
}

const request = (path: string, name = 'ping', more: Record<string, string> = {}) =>
  handlerRequest(path, name, more)

describe('createMcpHandler', () => {
  it('serves a server at every URL, as a function and as fetch', async () => {
    expect(createLegacyMcpHandler).toBe(createMcpHandler)
    const handler = createMcpHandler(createServer())
    const { fetch } = handler
    expect(await textOf(await handler(request('/mcp'), env, createExecutionContext()))).toBe('pong')
    expect(await textOf(await fetch(request('/any/path?query')))).toBe('pong')
    await expect(handler.close()).resolves.toBeUndefined()
    expect(handler.edgeway.Objects).toBeTypeOf('function')
  })

  it('takes asks() with its options from the option features, in place of its own', async () => {
    const features = [asks({ answerTimeoutMs: 1000 })]
    const handler = createMcpHandler(createServer(), { features })
    expect(await textOf(await handler.fetch(request('/mcp')))).toBe('pong')
  })

  it('serves a session-era client without a session', async () => {
    const handler = createMcpHandler(() => createServer())
    const response = await handler.fetch(sessionEraRequest('/x', 'ping'))
    expect(await textOf(response)).toBe('pong')
  })

  it('calls a factory with the caller', async () => {
    const handler = createMcpHandler(({ authInfo }) => createServer(authInfo?.clientId), {
      auth: verifier(async () => ({ subject: 'ada', clientId: 'the-client', scopes: [] })),
    })
    const call = (more = {}) =>
      handler.fetch(request('/mcp', 'ping', more), env, createExecutionContext())
    expect((await call()).status).toBe(401)
    expect(await textOf(await call({ authorization: 'Bearer key' }))).toBe('the-client')
  })

  it('answers 404 beside its route, and reports errors', async () => {
    const errors: string[] = []
    const handler = createMcpHandler(createServer(), {
      route: '/mcp',
      onerror: ({ message }) => errors.push(message),
      telemetry: () => undefined,
      maxRequestBodySize: 1000,
    })
    expect((await handler(request('/other'))).status).toBe(404)
    expect(await textOf(await handler(request('/mcp', 'fails')))).toBe('It failed')
    expect(errors).toEqual(['It failed'])
    const large = request('/mcp', 'a'.repeat(2000))
    expect((await handler(large)).status).toBe(413)
  })

  it('has a resource of its own at its route', async () => {
    const auth = verifier(async () => ({ subject: 'ada', scopes: [] }))
    const resourceAt = async (route: string) => {
      let resource: string | undefined
      const factory = ({ authInfo }: { authInfo: AuthInfo | undefined }) => {
        resource = authInfo?.resource?.href
        return createServer()
      }
      const handler = createMcpHandler(factory, { route, auth })
      const call = request(route, 'ping', { authorization: 'Bearer key' })
      expect(await textOf(await handler(call, env, createExecutionContext()))).toBe('pong')
      return resource
    }
    expect(await resourceAt('/mcp')).toBe('urn:edgeway:mcp/mcp')
    expect(await resourceAt('/docs')).toBe('urn:edgeway:mcp%20%2Fdocs/docs')
  })

  it.each([
    ['a server', () => createServer()],
    ['a factory', () => () => createServer()],
  ])('refuses the session id of another route for %s with the same name', async (_, source) => {
    const [one, other] = ['/mcp', '/docs'].map((route) =>
      createMcpHandler(source(), { route, features: [sessions()] }),
    )
    const send = (handler: typeof one) => (sent: Request) =>
      handler?.(sent, { ...env }, createExecutionContext()) ?? Promise.reject()
    const url = 'http://localhost:8787'
    const { id } = await HttpSession.open({ url: `${url}/docs`, fetch: send(other) })
    const foreign = new HttpSession({ url: `${url}/mcp`, fetch: send(one) }, id, '2025-11-25')
    expect((await foreign.send('ping')).status).toBe(404)
  })

  it.each([
    'null',
    'localhost:5173',
    'app.example',
    'https://a.example, https://b.example',
    'https://a.example/x',
  ])('throws at start for corsOptions.origin %s', (origin) => {
    expect(() => createMcpHandler(createServer(), { corsOptions: { origin } })).toThrow(
      /^corsOptions.origin .* must be \* or an origin/,
    )
  })

  it.each(['null', 'https://other.example'])(
    'refuses the origin %s where corsOptions names the page of an extension',
    async (origin) => {
      const named = 'chrome-extension://abcdefgh'
      const handler = createMcpHandler(createServer(), { corsOptions: { origin: named } })
      const request = handlerRequest('/mcp', 'none')
      const from = (page: string) =>
        new Request('https://mcp.example.com/mcp', {
          method: request.method,
          headers: [...request.headers, ['origin', page]],
          body: request.clone().body,
        })
      expect((await handler(from(origin), env, createExecutionContext())).status).toBe(403)
      expect((await handler(from(named), env, createExecutionContext())).status).toBe(200)
    },
  )

  it.each([
    ['transport', {}],
    ['sessionIdGenerator', () => 'id'],
    ['bus', {}],
    ['responseMode', 'json'],
    ['legacy', 'refuse'],
  ])('throws at start for the option %s, with a link to the guide', (option, value) => {
    expect(() => createMcpHandler(createServer(), { [option]: value } as never)).toThrow(
      /migrate\.md#what-does-not-carry$/,
    )
  })

  it('refuses authInfo as the second argument of fetch, instead of dropping it', async () => {
    const handler = createMcpHandler(createServer())
    await expect(handler.fetch(request('/mcp'), { authInfo: {} } as never)).rejects.toThrow(
      /use the option auth/,
    )
  })
})
