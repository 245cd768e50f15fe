/** How a client meets the server: what it negotiates, and how its session begins, continues and ends. */
import { describe, expect, test } from 'vitest'
import { verifies } from '../support/verifies.ts'
import { connectClient, KINDS, SESSION_KINDS, STREAMABLE_KINDS } from './connect-client.ts'
import { streamsOf } from './wire.ts'

const NEGOTIATED = {
  v1: { protocolVersion: '2025-11-25', era: 'session' },
  'v1 over HTTP+SSE': { protocolVersion: '2025-11-25', era: 'http-sse' },
  v2: { protocolVersion: '2025-11-25', era: 'session' },
  'v2, modern': { protocolVersion: '2026-07-28', era: 'modern', sessionId: null },
}

/** Each era declares tasks in its own way. In a session a client is answered with the extensions that it offers, and with events. */
const EXTENSIONS = {
  modern: {
    extensions: {
      'io.modelcontextprotocol/events': { listChanged: true },
      'io.modelcontextprotocol/skills': { directoryRead: true },
      'io.modelcontextprotocol/tasks': {},
      'io.modelcontextprotocol/ui': {},
    },
  },
  session: {
    extensions: { 'io.modelcontextprotocol/events': {} },
    tasks: { cancel: {}, requests: { tools: { call: {} } } },
  },
}

describe.each(KINDS)('the official client %s', (kind) => {
  test('receives the server info, the instructions and the capabilities', async () => {
    verifies('lifecycle/server-introduces-itself')
    verifies('versioning/discover-is-implemented', 'prompts/capability', 'resources/capability')
    verifies('tools/capability', 'completion/capability')
    const { client } = await connectClient(kind)
    expect(client.getServerVersion()).toEqual({
      name: 'edgeway-fixture',
      version: '1.0.0',
      title: 'Edgeway fixture',
      description: 'Everything the conformance suite and the probes need.',
      websiteUrl: 'https://example.com/edgeway-fixture',
    })
    expect(client.getInstructions()).toBe('Call test_simple_text first.')
    expect(client.getServerCapabilities()).toEqual({
      completions: {},
      logging: {},
      prompts: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      tools: { listChanged: true },
      ...EXTENSIONS[kind === 'v2, modern' ? 'modern' : 'session'],
    })
  })

  test('negotiates its newest revision', async () => {
    const { call } = await connectClient(kind)
    expect((await call('whoami')).structuredContent).toMatchObject(NEGOTIATED[kind])
  })
})

describe.each(SESSION_KINDS)('the official client %s', (kind) => {
  test('can ping, and opens one standalone stream, which stays open during calls', async () => {
    verifies('ping/ping-is-answered', 'streamable-http/endpoint-with-post-and-get')
    const { client, call, wire, listening, errors } = await connectClient(kind)
    expect(await client.ping()).toEqual({})
    await listening()
    for (let round = 0; round < 3; round++) await call('test_simple_text')
    expect(streamsOf(wire)).toHaveLength(1)
    expect(errors).toEqual([])
  })
})

describe.each(STREAMABLE_KINDS)('the official client %s', (kind) => {
  test('receives a session id, and sends it and the version in every request', async () => {
    verifies('lifecycle/version-header-of-the-client', 'streamable-http/session-id-alphabet')
    verifies('streamable-http/session-id-is-sent')
    const { call, wire, sessionId, listening } = await connectClient(kind)
    expect(sessionId()).toMatch(/^[\x21-\x7e]{20,1024}$/)
    expect((await call('whoami')).structuredContent.sessionId).toBe(sessionId())
    await listening()
    const [initialize, ...rest] = wire.exchanges
    expect(initialize?.responseHeaders.get('mcp-session-id')).toBe(sessionId())
    expect(initialize?.headers.get('mcp-session-id')).toBeNull()
    const methods = rest.map(({ method }) => method)
    expect(methods.sort()).toEqual(['GET', 'POST', 'POST'])
    for (const { headers } of rest) {
      expect(headers.get('mcp-session-id')).toBe(sessionId())
      expect(headers.get('mcp-protocol-version')).toBe('2025-11-25')
    }
  })

  test('continues its session on another connection without initializing again', async () => {
    const first = await connectClient(kind)
    await first.setLogLevel('error')
    const sessionId = first.sessionId() ?? ''
    await first.client.close()

    const second = await connectClient(kind, { sessionId })
    const messages: unknown[] = []
    second.on('notifications/message', ({ data }) => messages.push(data))
    expect((await second.call('whoami')).structuredContent).toMatchObject({
      sessionId,
      protocolVersion: '2025-11-25',
    })
    await second.call('test_logging_tool')
    expect(messages).toEqual(['An error message'])
    expect(second.wire.exchanges.filter(({ body }) => body.includes('initialize'))).toEqual([])
  })

  test('ends its session for every client that has the id, and is served without one', async () => {
    const ending = await connectClient(kind)
    await ending.listening()
    const sessionId = ending.sessionId() ?? ''
    const other = await connectClient(kind, { sessionId })
    await other.call('test_simple_text')

    await ending.terminate()
    expect(ending.sessionId()).toBeUndefined()
    expect((await ending.call('whoami')).structuredContent.sessionId).toBeNull()
    await expect(other.call('test_simple_text')).rejects.toThrow('Session not found')
    await expect(other.terminate()).rejects.toThrow('Failed to terminate session')
    const statuses = other.wire.exchanges.map(({ method, status }) => `${method} ${status}`)
    expect(statuses).toEqual(['POST 200', 'POST 404', 'DELETE 404'])
  })
})
