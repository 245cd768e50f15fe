/** The life of a session: how it begins, how it is continued, and how it ends. */
import { describe, expect, test } from 'vitest'
import { parseEvents } from '../../support/sse-parser.ts'
import { verifies } from '../../support/verifies.ts'
import { connectSession, KINDS, STREAMABLE_KINDS } from './connect-session.ts'
import { streamsOf } from './wire.ts'

describe.each(KINDS)('the official client %s', (kind) => {
  test('receives the server info, the instructions and the capabilities', async () => {
    verifies('lifecycle/server-introduces-itself')
    const { client } = await connectSession(kind)
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
      tasks: { cancel: {}, requests: { tools: { call: {} } } },
      tools: { listChanged: true },
    })
  })

  test('negotiates the newest session revision, and can ping', async () => {
    verifies('ping/ping-is-answered')
    const { client, call } = await connectSession(kind)
    expect(await client.ping()).toEqual({})
    expect((await call('whoami')).structuredContent).toMatchObject({
      protocolVersion: '2025-11-25',
      era: kind === 'v1 over HTTP+SSE' ? 'http-sse' : 'session',
    })
  })

  test('opens one standalone stream, which stays open during calls', async () => {
    verifies('streamable-http/endpoint-with-post-and-get')
    const { call, wire, listening, errors } = await connectSession(kind)
    await listening()
    for (let round = 0; round < 3; round++) await call('test_simple_text')
    expect(streamsOf(wire)).toHaveLength(1)
    expect(errors).toEqual([])
  })

  test('has another session id than another client', async () => {
    const [one, other] = [await connectSession(kind), await connectSession(kind)]
    const idOf = async ({ call }: typeof one) =>
      (await call('whoami')).structuredContent.sessionId as string
    const [first, second] = await Promise.all([idOf(one), idOf(other)])
    expect(first).not.toBe(second)
    expect([await idOf(one), await idOf(other)]).toEqual([first, second])
  })
})

test('the endpoint event of the 2024-11-05 transport contains the session id', async () => {
  verifies('http-sse/two-endpoints', 'http-sse/endpoint-event')
  const { call, wire } = await connectSession('v1 over HTTP+SSE')
  const events = parseEvents(streamsOf(wire)[0]?.text ?? '')
  const endpoint = events.find(({ event }) => event === 'endpoint')
  const { sessionId } = (await call('whoami')).structuredContent
  expect(endpoint).toMatchObject({ event: 'endpoint', data: `/messages?sessionId=${sessionId}` })
})

describe.each(STREAMABLE_KINDS)('the official client %s', (kind) => {
  test('receives a session id, and sends it and the version in every request', async () => {
    verifies('lifecycle/version-header-of-the-client', 'streamable-http/session-id-alphabet')
    verifies('streamable-http/session-id-is-sent')
    const { call, wire, sessionId, listening } = await connectSession(kind)
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
    const first = await connectSession(kind)
    await first.client.setLoggingLevel('error')
    const sessionId = first.sessionId() ?? ''
    await first.client.close()

    const second = await connectSession(kind, { sessionId })
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

  test('ends its session for every client that has the id', async () => {
    const ending = await connectSession(kind)
    await ending.listening()
    const sessionId = ending.sessionId() ?? ''
    const other = await connectSession(kind, { sessionId })
    await other.call('test_simple_text')

    await ending.terminate()
    expect(ending.sessionId()).toBeUndefined()
    await expect(other.call('test_simple_text')).rejects.toThrow('Session not found')
    await expect(other.client.ping()).rejects.toThrow('Session not found')
    await expect(other.terminate()).rejects.toThrow('Failed to terminate session')
    const statuses = other.wire.exchanges.map(({ method, status }) => `${method} ${status}`)
    expect(statuses).toEqual(['POST 200', 'POST 404', 'POST 404', 'DELETE 404'])
  })

  test('is served without a session after it ended its own', async () => {
    const { call, terminate } = await connectSession(kind)
    await terminate()
    expect((await call('whoami')).structuredContent.sessionId).toBeNull()
  })

  test('opens a new session after the old one ended', async () => {
    const first = await connectSession(kind)
    await first.terminate()
    await first.client.close()
    const second = await connectSession(kind)
    expect((await second.call('whoami')).structuredContent.sessionId).toBe(second.sessionId())
  })

  test.each([
    { of: 'no session', sessionId: 'b33f0000-0000-4000-8000-000000000000' },
    { of: 'the 2024-11-05 transport', sessionId: undefined },
  ])('is answered that the session does not exist for an id of $of', async ({ sessionId }) => {
    const older = await connectSession('v1 over HTTP+SSE')
    const { structuredContent } = await older.call('whoami')
    const { call } = await connectSession(kind, {
      sessionId: sessionId ?? structuredContent.sessionId,
    })
    await expect(call('test_simple_text')).rejects.toThrow('Session not found')
  })
})
