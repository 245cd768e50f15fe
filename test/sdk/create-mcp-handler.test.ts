import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { verifier } from '../../src/index.ts'
import { createLegacyMcpHandler, createMcpHandler, McpServer } from '../../src/sdk/index.ts'
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
    expect(Object.keys(handler.edgeway.objects)).toContain('McpKeyring')
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

  it.each([
    ['transport', {}],
    ['sessionIdGenerator', () => 'id'],
    ['bus', {}],
    ['responseMode', 'json'],
    ['legacy', 'refuse'],
  ])('throws at start for the option %s, with a link to the guide', (option, value) => {
    expect(() => createMcpHandler(createServer(), { [option]: value } as never)).toThrow(
      /moving-from-the-sdk\.md#what-does-not-carry$/,
    )
  })

  it('refuses authInfo as the second argument of fetch, instead of dropping it', async () => {
    const handler = createMcpHandler(createServer())
    await expect(handler.fetch(request('/mcp'), { authInfo: {} } as never)).rejects.toThrow(
      /use the option auth/,
    )
  })
})
