// features: files, landing-page
import { env } from 'cloudflare:workers'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createEdgeway, ProtocolError, ResourceTemplate, ToolError } from '../../src/index.ts'
import type { RequestEvent, SpanEvent, TelemetryEvent } from '../../src/telemetry/index.ts'
import { FullServer } from '../support/full-server.ts'
import { openSession, openSessionApp } from '../support/session-client.ts'
import { recordedEvents } from '../support/session-server.ts'
import { openApp, type TestApp } from '../support/test-app.ts'

const SECRET = 'canary-5f1c'
const KEY = expect.stringMatching(/^[0-9a-f]{16}$/)
const PARENT = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
const OTHER_PARENT = `00-${'c'.repeat(32)}-${'d'.repeat(16)}-01`

function createServer(): FullServer {
  const server = new FullServer({ name: 'recorded', version: '1' })
  const inputSchema = z.object({ text: z.string() })
  server.registerTool('echo', { inputSchema }, ({ text }) => text)
  server.registerTool('refuse', { inputSchema }, ({ text }) => {
    throw new ToolError(text)
  })
  server.registerTool('fail', { inputSchema }, ({ text }) => {
    throw new Error(text)
  })
  server.registerTool('protocol', {}, () => {
    throw new ProtocolError(-32603, 'x')
  })
  server.registerTool('slow', { timeoutMs: 20 }, () => new Promise<string>(() => undefined))
  server.registerTool('steps', { inputSchema }, async ({ text }, ctx) => {
    await ctx.step('first', async () => text)
    await ctx.step('second', () => Promise.reject(new ToolError(text)))
    return text
  })
  server.registerTool('progress', {}, async (ctx) => {
    await ctx.progress(1)
    return 'x'
  })
  server.registerTool('ask', {}, async (ctx) => {
    await ctx.elicit({ message: 'Sure?', schema: { ok: z.boolean() } })
    return 'x'
  })
  server.registerTool('keep', { files: true }, async (ctx) => {
    await ctx.state.create('x')
    const { size } = await ctx.file('x.txt', SECRET)
    return String(size)
  })
  server.registerPrompt('greet', {}, () => 'hello')
  server.registerResource('fixed', 'note://fixed', {}, () => 'x')
  const template = new ResourceTemplate('note://{id}/text', { list: undefined })
  server.registerResource('note', template, {}, (_, { id }) => String(id))
  return server
}

function openRecorded(spans = false, bindings: object = {}) {
  const recorded: TelemetryEvent[] = []
  const telemetry = { spans, record: (event: TelemetryEvent) => recorded.push(event) }
  const app: TestApp = openApp(createServer(), { telemetry }, bindings)
  const requests = () => recorded.filter((event) => event.type === 'request')
  const spansOf = () => recorded.filter((event): event is SpanEvent => event.type === 'span')
  return { app, recorded, requests, spansOf }
}

/** Calls a tool with the secret as its argument, and returns the event. */
async function eventOf(name: string): Promise<RequestEvent> {
  const { app, requests } = openRecorded()
  await app.modern('tools/call', { name, arguments: { text: SECRET } })
  const [event, ...more] = requests()
  expect(more).toEqual([])
  if (event === undefined) throw new TypeError('No event')
  return event
}

describe('the event of a request', () => {
  it('has what an owner asks for, and nothing of the arguments and the result', async () => {
    const event = await eventOf('echo')
    expect(event).toEqual({
      type: 'request',
      startedAt: expect.any(Number),
      durationMs: expect.any(Number),
      httpMethod: 'POST',
      method: 'tools/call',
      name: 'echo',
      requestId: 1,
      era: 'modern',
      revision: '2026-07-28',
      client: { name: 'test', version: '1.0.0' },
      transport: 'streamable-http',
      outcome: 'ok',
      reason: undefined,
      errorCode: undefined,
      reference: undefined,
      status: 200,
      bytesIn: expect.any(Number),
      bytesOut: expect.any(Number),
      usesObject: false,
      connection: { network: 'fb4b', client: undefined, session: undefined },
      trace: undefined,
    })
    expect(JSON.stringify(event)).not.toContain(SECRET)
  })

  it('has the error of a handshake that names no version', async () => {
    const { app, requests } = openRecorded()
    await app.post({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} })
    expect(requests()).toMatchObject([
      { method: 'initialize', outcome: 'error', errorCode: -32602 },
    ])
  })

  it('is plain data without accessors, so that a sink may keep it or send it to another Worker', async () => {
    const { connection } = await eventOf('echo')
    expect(Object.getOwnPropertyDescriptors(connection)).toMatchObject({
      network: { value: 'fb4b', enumerable: true },
    })
  })

  it('has the same key for each address of a network, at every request, and another for other networks', async () => {
    const { app, requests } = openRecorded()
    for (const last of [7, 7, 8]) {
      const headers = { 'cf-connecting-ip': `203.0.113.${last}` }
      await app.modern('tools/list', {}, { headers })
    }
    await app.modern('tools/list', {}, { headers: { 'cf-connecting-ip': '198.51.100.7' } })
    const [first, ...others] = requests().map(({ connection }) => connection.network)
    expect(first).toMatch(/^[0-9a-f]{4}$/)
    expect(others).toEqual([first, first, expect.not.stringMatching(`^${first}$`)])
  })

  it.each([
    ['refuse', { outcome: 'tool-error', reference: undefined }],
    ['fail', { outcome: 'tool-error', reference: expect.any(String) }],
    ['slow', { outcome: 'cancelled', reason: 'timeout' }],
    ['protocol', { outcome: 'error', errorCode: -32603 }],
    ['progress', { outcome: 'ok', status: 200 }],
    [SECRET, { outcome: 'error', errorCode: -32602, name: undefined }],
  ])('says how a call of %s ended', async (name, expected) => {
    const event = await eventOf(name)
    expect(event).toMatchObject({ method: 'tools/call', ...expected })
    expect(JSON.stringify(event)).not.toContain(SECRET)
  })

  it('says that a handler asks before it answers', async () => {
    const { app, requests } = openRecorded(false, env)
    const capabilities = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } }
    await app.modern('tools/call', { name: 'ask' }, { meta: capabilities })
    expect(requests()).toMatchObject([{ name: 'ask', outcome: 'input-required', status: 200 }])
  })

  it.each([
    ['prompts/get', { name: 'greet' }, 'greet'],
    ['resources/read', { uri: 'note://fixed' }, 'note://fixed'],
    ['resources/read', { uri: `note://${SECRET}/text` }, 'note://{id}/text'],
    ['resources/read', { uri: `other://${SECRET}` }, undefined],
    ['prompts/get', { name: SECRET }, undefined],
  ])('names a %s by what is registered', async (method, params, name) => {
    const { app, recorded, requests } = openRecorded()
    await app.modern(method, params)
    expect(requests()).toMatchObject([{ method, name }])
    expect(JSON.stringify(recorded)).not.toContain(SECRET)
  })

  it('does not have a method, an id or a client name of any form and length', async () => {
    const { app, requests } = openRecorded()
    await app.modern(`${SECRET}/x`, {}, { id: `${SECRET} x` })
    const clientInfo = { name: `a\n${'b'.repeat(100)}`, version: '1' }
    await app.modern(
      'tools/list',
      {},
      { meta: { 'io.modelcontextprotocol/clientInfo': clientInfo } },
    )
    expect(requests()).toMatchObject([
      { method: undefined, requestId: undefined, outcome: 'refused', reason: 'method-not-found' },
      { client: { name: `a ${'b'.repeat(62)}`, version: '1' } },
    ])
  })

  it('has the reason of a request that was refused', async () => {
    const { app, requests } = openRecorded()
    await app.modern('tools/list', {}, { headers: { 'mcp-protocol-version': SECRET } })
    await app.post('{', {})
    await app.fetch(new Request('http://other.example/mcp', { method: 'POST' }))
    await app.fetch(new Request('http://localhost:8787/mcp', { method: 'PUT' }))
    expect(requests()).toMatchObject([
      { reason: 'header-mismatch', status: 400, errorCode: -32020, method: 'tools/list' },
      { reason: 'body-not-json', status: 400, errorCode: -32700 },
      { reason: 'host-not-served', status: 403 },
      { reason: 'http-method-not-allowed', status: 405, httpMethod: 'PUT' },
    ])
    expect(JSON.stringify(requests())).not.toContain(SECRET)
  })

  it('is one for each message of a batch', async () => {
    const { app, requests } = openRecorded()
    const call = (id: number, name: string) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name, arguments: { text: 'x' } },
    })
    await app.post([call(1, 'echo'), call(2, 'refuse')], { 'mcp-protocol-version': '2025-03-26' })
    expect(requests()).toMatchObject([
      { requestId: 1, name: 'echo', outcome: 'ok', era: 'session', revision: '2025-03-26' },
      { requestId: 2, name: 'refuse', outcome: 'tool-error' },
    ])
  })

  it('is reported at the opening of a stream, and for a message without an answer', async () => {
    const recorded: TelemetryEvent[] = []
    const app = openSessionApp({ telemetry: { record: (event) => recorded.push(event) } })
    const session = await openSession({}, app)
    await session.notify('notifications/initialized', {})
    const response = await session.get()
    await response.body?.cancel()
    await session.end()
    expect(recorded).toMatchObject([
      { method: 'initialize', outcome: 'ok', connection: { session: KEY } },
      { method: 'notifications/initialized', outcome: 'accepted', status: 202 },
      { httpMethod: 'GET', outcome: 'stream', status: 200, usesObject: true },
      { httpMethod: 'DELETE', outcome: 'accepted', status: 204 },
    ])
  })

  it('says of a call that keeps state and files that it used objects, with a span for each call of one', async () => {
    const { app, requests, spansOf } = openRecorded(true, env)
    await app.modern('tools/call', { name: 'keep', arguments: {} })
    expect(requests()).toMatchObject([{ name: 'keep', outcome: 'ok', usesObject: true }])
    const names = spansOf().flatMap(({ kind, name }) => (kind === 'object-call' ? [name] : []))
    expect(names).toEqual(['state.write', 'files.store'])
  })

  it('is reported by the session object for a request of a session', async () => {
    const before = recordedEvents.length
    const recorded: TelemetryEvent[] = []
    const telemetry = { spans: true, record: (event: TelemetryEvent) => recorded.push(event) }
    const session = await openSession({}, openSessionApp({ telemetry }))
    await session.callTool('echo', { text: SECRET })
    const ofObject = recordedEvents.slice(before)
    expect(ofObject).toMatchObject([
      { type: 'span', kind: 'handler', name: 'echo', outcome: 'ok' },
      {
        type: 'request',
        method: 'tools/call',
        name: 'echo',
        outcome: 'ok',
        era: 'session',
        revision: '2025-11-25',
        transport: 'streamable-http',
        connection: { session: KEY },
        bytesOut: expect.any(Number),
        usesObject: true,
      },
    ])
    const [handler, request] = ofObject as [SpanEvent, RequestEvent]
    expect(handler.trace.parentSpanId).toBe(request.trace?.spanId)
    const post = recorded.find((event) => event.type === 'span' && event.name === 'session.post')
    expect(post).toMatchObject({ trace: { parentSpanId: request.trace?.spanId } })
    // The Worker leaves the request to the object.
    expect(recorded.filter(({ type }) => type === 'request')).toMatchObject([
      { method: 'initialize' },
    ])
    expect(JSON.stringify([ofObject, recorded])).not.toContain(SECRET)
    expect(JSON.stringify([ofObject, recorded])).not.toContain(session.id)
  })

  it('is reported by the session object when a call that asked questions ends on a stream', async () => {
    const before = recordedEvents.length
    const app = openSessionApp({ telemetry: { spans: true, record: () => undefined } })
    const session = await openSession({}, app)
    const call = await session.stream(async ({ elicit }) => {
      await elicit({ message: 'Sure?', schema: { ok: z.boolean() } })
      return { content: [], isError: true }
    })
    const { id } = await call.message()
    await session.post({ jsonrpc: '2.0', id, result: { action: 'decline' } })
    await call.message()
    const events = recordedEvents.slice(before)
    expect(events.filter(({ type }) => type === 'request')).toMatchObject([
      { name: 'run', outcome: 'tool-error', connection: { session: KEY } },
    ])
    expect(
      events.filter(({ type }) => type === 'span').map((span) => 'outcome' in span && span.outcome),
    ).toEqual(['suspended', 'ok'])
  })
})

describe('the spans of a request', () => {
  it('nest steps in their handler, and the handler in the request', async () => {
    const { app, requests, spansOf } = openRecorded(true)
    await app.modern('tools/call', { name: 'steps', arguments: { text: SECRET } })
    const [first, second, handler] = spansOf()
    const [request] = requests()
    expect(spansOf()).toMatchObject([
      { kind: 'step', name: 'first', outcome: 'ok', method: 'tools/call' },
      { kind: 'step', name: 'second', outcome: 'error' },
      { kind: 'handler', name: 'steps', outcome: 'error' },
    ])
    expect(first?.trace.parentSpanId).toBe(handler?.trace.spanId)
    expect(second?.trace.parentSpanId).toBe(handler?.trace.spanId)
    expect(handler?.trace.parentSpanId).toBe(request?.trace?.spanId)
    expect(request?.trace?.parentSpanId).toBeUndefined()
    const traces = [first, second, handler, request].map((event) => event?.trace?.traceId)
    expect(new Set(traces).size).toBe(1)
    expect(JSON.stringify(spansOf())).not.toContain(SECRET)
  })

  it.each([
    ['_meta', { traceparent: PARENT }, {}],
    ['the headers', {}, { traceparent: PARENT }],
    ['_meta rather than the headers', { traceparent: PARENT }, { traceparent: OTHER_PARENT }],
  ])('continue the trace of %s', async (_, meta, headers) => {
    const { app, requests } = openRecorded(true)
    await app.modern('tools/list', {}, { meta, headers })
    expect(requests()).toMatchObject([
      { trace: { traceId: 'a'.repeat(32), parentSpanId: 'b'.repeat(16), isSampled: true } },
    ])
  })

  it('are not reported, and not created, when no sink asks for them', async () => {
    const { app, recorded } = openRecorded()
    await app.modern('tools/call', { name: 'steps', arguments: { text: 'x' } })
    expect(recorded.map(({ type }) => type)).toEqual(['request'])
    expect(recorded).toMatchObject([{ trace: undefined }])
  })
})

describe('the option telemetry', () => {
  it('gives a function no events of requests', async () => {
    const { app } = { app: openApp(createServer()) }
    await app.modern('tools/call', { name: 'echo', arguments: { text: 'x' } })
    expect(app.events).toEqual([])
  })

  it('gives every sink of a list its events, with the bindings of the Worker', async () => {
    const seen: [string, unknown][] = []
    const bindings = { NAME: 'x' }
    const app = openApp(
      createServer(),
      {
        telemetry: [
          { requests: false, record: ({ type }, env) => seen.push([`plain ${type}`, env]) },
          { record: ({ type }, env) => seen.push([`requests ${type}`, env]) },
        ],
      },
      bindings,
    )
    await app.modern('tools/call', { name: 'fail', arguments: { text: 'x' } })
    expect(seen).toEqual([
      ['plain handler-error', bindings],
      ['requests handler-error', bindings],
      ['requests request', bindings],
    ])
  })

  it('has the events of requests outside of the endpoint, by the route and never by the path', async () => {
    const { app, recorded } = openRecorded()
    await app.fetch(new Request(`http://localhost:8787/${SECRET}`))
    await app.fetch(new Request(`http://localhost:8787/webhooks/${SECRET}`, { method: 'POST' }))
    await app.fetch(new Request('http://localhost:8787/'))
    expect(recorded).toMatchObject([
      { type: 'http-request', route: undefined, status: 404, httpMethod: 'GET' },
      { type: 'http-request', route: '/webhooks', httpMethod: 'POST' },
      { type: 'http-request', route: '/', status: 200 },
    ])
    expect(JSON.stringify(recorded)).not.toContain(SECRET)
  })

  it('has the pattern of an own route, and not its path', async () => {
    const recorded: TelemetryEvent[] = []
    const record = (event: TelemetryEvent) => recorded.push(event)
    const own = new Hono()
    own.route(
      '/',
      createEdgeway(new FullServer({ name: 'own', version: '1' }), { telemetry: { record } }).app,
    )
    own.use('/hooks/*', (_, next) => next())
    own.post('/hooks/:id', (c) => c.text(c.req.param('id')))
    await own.request(`http://localhost:8787/hooks/${SECRET}`, { method: 'POST' }, {})
    await own.request(`http://localhost:8787/hooks/${SECRET}`, {}, {})
    expect(recorded).toMatchObject([
      { type: 'http-request', route: '/hooks/:id', status: 200, httpMethod: 'POST' },
      { type: 'http-request', route: undefined, status: 404, httpMethod: 'GET' },
    ])
    expect(JSON.stringify(recorded)).not.toContain(SECRET)
  })

  it.each([['x'], [{}], [[null]], [{ record: 1 }]])('refuses %j', (telemetry) => {
    // biome-ignore lint/suspicious/noExplicitAny: a caller without types may pass anything
    expect(() => openApp(createServer(), { telemetry: telemetry as any })).toThrow(
      'telemetry must be a function, an object with record(event, env), or a list of them',
    )
  })
})
