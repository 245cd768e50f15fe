/** The caller of a handler of `createMcpHandler`, and what its factory receives. */
import { describe, expect, it } from 'vitest'
import { createMcpHandler, type McpRequestContext, McpServer } from '../src/index.ts'
import { getMcpAuthContext } from '../src/mcp-auth-context.ts'
import { handlerRequest, sessionEraRequest, textOf } from './handler-requests.ts'

const say = (text: unknown) => ({ content: [{ type: 'text' as const, text: String(text) }] })

function createServer() {
  const server = new McpServer({ name: 'callers', version: '1' })
  server.tool('whoami', ({ http }) => {
    const { clientId, scopes, extra } = http?.authInfo ?? {}
    return say(JSON.stringify([getMcpAuthContext() ?? null, clientId ?? null, scopes, extra]))
  })
  return server
}

const background = { waitUntil: () => {} }
const ada = { ...background, props: { team: 'red' } }
const asked = () => handlerRequest('/mcp', 'whoami')

describe('a handler of createMcpHandler behind an OAuthProvider', () => {
  it('has the props of the execution context in getMcpAuthContext, without an option', async () => {
    const handler = createMcpHandler(createServer)
    expect(await textOf(await handler(asked(), {}, ada))).toBe(
      '[{"props":{"team":"red"}},"unknown",[],{"team":"red"}]',
    )
    const token = { userId: 'ada', clientId: 'the-client', scope: ['read', 'write'] }
    expect(await textOf(await handler(asked(), {}, { ...ada, auth: token } as never))).toBe(
      '[{"props":{"team":"red"}},"the-client",["read","write"],{"team":"red"}]',
    )
  })

  it('has an anonymous caller where the execution context has empty props or none', async () => {
    const handler = createMcpHandler(createServer)
    const empty = { ...background, props: {} }
    for (const response of [
      handler(asked()),
      handler(asked(), {}, background),
      handler(asked(), {}, empty),
      handler.fetch(asked()),
    ]) {
      expect(await textOf(await response)).toBe('[null,null,null,null]')
    }
  })

  it('refuses props that are not JSON instead of losing the caller', async () => {
    const handler = createMcpHandler(createServer, { telemetry: () => undefined })
    const props = { ...background, props: { since: new Date(0) } }
    expect((await handler(asked(), {}, props)).status).toBe(503)
  })

  it('has the props of the option authContext instead of those of the execution context', async () => {
    const handler = createMcpHandler(createServer, { authContext: { props: { team: 'blue' } } })
    expect(await textOf(await handler(asked(), {}, ada))).toContain('{"props":{"team":"blue"}}')
  })

  it('does not share a server between two requests, also of one caller', async () => {
    const handler = createMcpHandler(() => {
      let calls = 0
      const server = new McpServer({ name: 'counter', version: '1' })
      server.tool('count', () => say(++calls))
      return server
    })
    const count = async () => textOf(await handler(handlerRequest('/mcp', 'count'), {}, ada))
    expect(await count()).toBe('1')
    expect(await count()).toBe('1')
  })
})

describe('a factory of createMcpHandler', () => {
  const received = async (request: Request, options = {}): Promise<McpRequestContext> => {
    const contexts: McpRequestContext[] = []
    const factory = (context: McpRequestContext) => {
      contexts.push(context)
      return createServer()
    }
    expect((await createMcpHandler(factory, options)(request, {}, ada)).status).toBe(200)
    expect(contexts).toHaveLength(1)
    return contexts[0] as McpRequestContext
  }

  it('receives the era of the request', async () => {
    expect((await received(asked())).era).toBe('modern')
    expect((await received(sessionEraRequest('/mcp', 'whoami'))).era).toBe('legacy')
  })

  it('receives the URL and the headers of the request, without credentials', async () => {
    const more = {
      authorization: 'Bearer token',
      cookie: 'a=b',
      'x-key': 'k',
      'cf-account-id': '7',
    }
    const { requestInfo } = await received(handlerRequest('/any/path?tools=a,b', 'whoami', more))
    expect(requestInfo?.url).toBe('http://localhost:8787/any/path?tools=a,b')
    expect(requestInfo?.method).toBe('POST')
    expect(requestInfo?.body).toBeNull()
    expect(requestInfo?.headers.get('cf-account-id')).toBe('7')
    expect(requestInfo?.headers.get('x-key')).toBe('k')
    expect(requestInfo?.headers.has('authorization')).toBe(false)
    expect(requestInfo?.headers.has('cookie')).toBe(false)
  })

  it('receives the caller', async () => {
    expect((await received(asked())).authInfo?.extra).toEqual({ team: 'red' })
  })
})
