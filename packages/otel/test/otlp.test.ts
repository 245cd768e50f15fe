// features: state
import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { ToolError } from '../../../src/index.ts'
import { sampled } from '../../../src/telemetry/index.ts'
import { createFullEdgeway } from '../../../test/support/full-app.ts'
import { FullServer } from '../../../test/support/full-server.ts'
import { modernRequest } from '../../../test/support/test-app.ts'
import { type OtlpOptions, otlp } from '../src/index.ts'

const TRACE = 'a'.repeat(32)
const PARENT = `00-${TRACE}-${'b'.repeat(16)}-01`
const SECRET = 'canary-77e0'

interface Sent {
  readonly url: string
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary members of the wire form
  readonly body: any
}

/** A collector that answers with the given statuses, the last one for ever. */
function createCollector(...statuses: (number | 'unreachable' | 'silent')[]) {
  const sent: Sent[] = []
  let next = 0
  const answer = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(input as string, init as RequestInit)
    sent.push({ url: request.url, headers: request.headers, body: await request.json() })
    const status = statuses[Math.min(next++, statuses.length - 1)] ?? 200
    if (status === 'unreachable') throw new TypeError('no connection')
    if (status === 'silent') return new Promise(() => undefined)
    return new Response('{}', { status })
  }
  const of = (path: string) => sent.filter(({ url }) => url === `https://otlp.example${path}`)
  return { sent, of, fetch: answer as typeof fetch }
}

function createServer(): FullServer {
  const server = new FullServer({ name: 's', version: '1' })
  server.registerTool('steps', {}, async (ctx) => {
    await ctx.step('one', async () => SECRET)
    await ctx.state.create(SECRET)
    return 'x'
  })
  server.registerTool('refuse', {}, () => {
    throw new ToolError(SECRET)
  })
  return server
}

type Telemetry = ReturnType<typeof otlp>

function openTraced(options: Partial<OtlpOptions>, wrap = (sink: Telemetry) => sink) {
  const telemetry = wrap(otlp({ url: 'https://otlp.example', serviceName: 'notes', ...options }))
  const edgeway = createFullEdgeway(createServer(), { telemetry })
  return async (method: string, params = {}, meta: Record<string, unknown> = {}) => {
    const { body, headers } = modernRequest(method, params, { meta })
    const request = new Request('http://localhost:8787/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(headers as Record<string, string>),
      },
      body: JSON.stringify(body),
    })
    const ctx = createExecutionContext()
    const response = await edgeway.fetch(request, { ...env, TOKEN: 'token-of-collector' }, ctx)
    const text = await response.text()
    return { status: response.status, text, exported: waitOnExecutionContext(ctx) }
  }
}

interface KeyValue {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

/** Attributes of the wire form as an object. */
const attributesOf = ({ attributes }: { readonly attributes: readonly KeyValue[] }) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

const spansIn = (sent: readonly Sent[]) =>
  sent.flatMap(({ body }) => body.resourceSpans[0].scopeSpans[0].spans)

describe('otlp', () => {
  it('sends the spans of a request, with the names of the conventions for MCP', async () => {
    const collector = createCollector()
    const send = openTraced({ fetch: collector.fetch })
    await (await send('tools/call', { name: 'steps' }, { traceparent: PARENT, tracestate: 'a=1' }))
      .exported
    const [trace] = collector.of('/v1/traces')
    expect(attributesOf(trace?.body.resourceSpans[0].resource)).toEqual({
      'service.name': 'notes',
      'cloud.provider': 'cloudflare',
      'cloud.platform': 'cloudflare.workers',
    })
    const spans = spansIn(collector.of('/v1/traces'))
    const named = (name: string) => spans.find((span) => span.name === name)
    const [handler, request] = [named('handler steps'), named('tools/call steps')]
    expect(request).toMatchObject({
      name: 'tools/call steps',
      traceId: TRACE,
      parentSpanId: 'b'.repeat(16),
      traceState: 'a=1',
      kind: 2,
      flags: 0x301,
      status: { code: 0 },
      startTimeUnixNano: expect.stringMatching(/^\d{19}$/),
      endTimeUnixNano: expect.stringMatching(/^\d{19}$/),
    })
    expect(attributesOf(request)).toEqual({
      'mcp.method.name': 'tools/call',
      'mcp.protocol.version': '2026-07-28',
      'gen_ai.tool.name': 'steps',
      'gen_ai.operation.name': 'execute_tool',
      'jsonrpc.request.id': '1',
      'http.request.method': 'POST',
      'http.response.status_code': 200,
      'network.transport': 'tcp',
      'network.protocol.name': 'http',
      'edgeway.outcome': 'ok',
      'edgeway.era': 'modern',
      'edgeway.transport': 'streamable-http',
      'edgeway.client.name': 'test',
      'edgeway.client.version': '1.0.0',
      'edgeway.network.key': expect.stringMatching(/^[0-9a-f]{4}$/),
      'edgeway.bytes_in': expect.any(Number),
      'edgeway.bytes_out': expect.any(Number),
      'edgeway.uses_object': true,
    })
    expect([named('step one'), named('state.write'), handler]).toMatchObject([
      { name: 'step one', kind: 1, traceId: TRACE, parentSpanId: handler.spanId },
      { name: 'state.write', kind: 3, traceId: TRACE, parentSpanId: handler.spanId },
      { name: 'handler steps', kind: 1, traceId: TRACE, parentSpanId: request.spanId },
    ])
    expect(JSON.stringify(collector.sent)).not.toContain(SECRET)
  })

  it('sends failures with their type, and no message', async () => {
    const collector = createCollector()
    const send = openTraced({ fetch: collector.fetch })
    await (await send('tools/call', { name: 'refuse' })).exported
    await (await send('tools/call', { name: 'unknown' })).exported
    await (await send('unknown/method')).exported
    const requests = spansIn(collector.of('/v1/traces')).filter(({ kind }) => kind === 2)
    expect(
      requests.map((span) => [span.name, span.status, attributesOf(span)['error.type']]),
    ).toEqual([
      ['tools/call refuse', { code: 2 }, 'tool_error'],
      ['tools/call', { code: 2 }, '-32602'],
      ['POST', { code: 2 }, 'method-not-found'],
    ])
    expect(attributesOf(requests[1])).toMatchObject({ 'rpc.response.status_code': '-32602' })
    expect(JSON.stringify(collector.sent)).not.toContain(SECRET)
  })

  it('sends durations as a histogram in seconds, weighted by the sample', async () => {
    const collector = createCollector()
    const keepsAll = (sink: Telemetry) => sampled(sink, { rate: 0.5 })
    const send = openTraced({ fetch: collector.fetch, traces: false }, keepsAll)
    // Without traces the network decides, and that of the tests is in this sample.
    await (await send('tools/call', { name: 'steps' })).exported
    const [metrics] = collector.of('/v1/metrics')
    const [metric] = metrics?.body.resourceMetrics[0].scopeMetrics[0].metrics ?? []
    expect(metric).toMatchObject({ name: 'mcp.server.operation.duration', unit: 's' })
    const [point] = metric.histogram.dataPoints
    expect(metric.histogram.aggregationTemporality).toBe(1)
    expect(point).toMatchObject({
      count: 2,
      explicitBounds: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300],
    })
    expect(point.bucketCounts.reduce((sum: number, count: number) => sum + count)).toBe(2)
    expect(attributesOf(point)).toMatchObject({
      'mcp.method.name': 'tools/call',
      'gen_ai.tool.name': 'steps',
      'edgeway.outcome': 'ok',
    })
    expect(attributesOf(point)).not.toHaveProperty('jsonrpc.request.id')
    expect(collector.of('/v1/traces')).toEqual([])
  })

  it('counts events by type, outcome and reason, without the ids of subscriptions', async () => {
    const collector = createCollector()
    const sink = otlp({ url: 'https://otlp.example', serviceName: 'x', fetch: collector.fetch })
    const delivery = {
      type: 'event-delivery',
      event: 'note.changed',
      subscription: SECRET,
    } as const
    const subscription = { type: 'event-subscription', event: 'note.changed' } as const
    sink.record({ type: 'event-emitted', event: 'note.changed' }, {})
    sink.record({ ...delivery, outcome: 'delivered' }, {})
    sink.record({ ...delivery, outcome: 'retried', reason: 'http_5xx' }, {})
    sink.record({ ...delivery, outcome: 'delivered' }, {})
    sink.record({ ...subscription, outcome: 'created', subscription: SECRET }, {})
    const sent: Promise<unknown>[] = []
    sink.flush?.({}, (work) => sent.push(work))
    await Promise.all(sent)
    const [metrics] = collector.of('/v1/metrics')
    const found = metrics?.body.resourceMetrics[0].scopeMetrics[0].metrics
    type Found = { name: string; sum: { isMonotonic: boolean; dataPoints: never[] } }
    expect(found.map(({ sum }: Found) => sum.isMonotonic)).toEqual([true, true, true])
    const points = found.flatMap(({ name, sum }: Found) =>
      sum.dataPoints.map((point: { readonly attributes: readonly KeyValue[]; asInt: number }) => [
        name,
        point.asInt,
        attributesOf(point),
      ]),
    )
    const event = { 'edgeway.event': 'note.changed' }
    expect(points).toEqual([
      ['edgeway.events.emitted', 1, event],
      ['edgeway.events.deliveries', 2, { ...event, 'edgeway.outcome': 'delivered' }],
      [
        'edgeway.events.deliveries',
        1,
        { ...event, 'edgeway.outcome': 'retried', 'error.type': 'http_5xx' },
      ],
      ['edgeway.events.subscriptions', 1, { ...event, 'edgeway.outcome': 'created' }],
    ])
    expect(JSON.stringify(collector.sent)).not.toContain(SECRET)
    expect(collector.of('/v1/traces')).toEqual([])
  })

  it('counts calls of deprecated tools by tool and client, of the first 100 clients by name', async () => {
    const collector = createCollector()
    const sink = otlp({ url: 'https://otlp.example', serviceName: 'x', fetch: collector.fetch })
    const call = { type: 'deprecated-call', tool: 'old', use: 'current' } as const
    for (let client = 0; client < 103; client++) {
      sink.record({ ...call, client: `client ${client}` }, {})
    }
    sink.record({ ...call, client: 'client 0' }, {})
    const sent: Promise<unknown>[] = []
    sink.flush?.({}, (work) => sent.push(work))
    await Promise.all(sent)
    const [metrics] = collector.of('/v1/metrics')
    const [{ name, sum }] = metrics?.body.resourceMetrics[0].scopeMetrics[0].metrics ?? []
    type Point = { readonly attributes: readonly KeyValue[]; readonly asInt: number }
    const points = new Map(
      sum.dataPoints.map((point: Point) => [
        attributesOf(point)['edgeway.client.name'],
        [point.asInt, attributesOf(point)],
      ]),
    )
    expect([name, points.size]).toEqual(['edgeway.tools.deprecated_calls', 101])
    const of = (client: string) => ({
      'gen_ai.tool.name': 'old',
      'edgeway.tool.replacement': 'current',
      'edgeway.client.name': client,
    })
    expect(points.get('client 0')).toEqual([2, of('client 0')])
    expect(points.get('other')).toEqual([3, of('other')])
  })

  it('reads its headers from the environment', async () => {
    const collector = createCollector()
    const headers = ({ TOKEN }: { readonly TOKEN: string }) => ({
      authorization: `Bearer ${TOKEN}`,
    })
    const send = openTraced({ fetch: collector.fetch, headers, url: 'https://otlp.example/' })
    await (await send('tools/list')).exported
    expect(collector.sent.map(({ headers: sent }) => sent.get('authorization'))).toEqual([
      'Bearer token-of-collector',
      'Bearer token-of-collector',
    ])
    expect(collector.sent[0]?.headers.get('content-type')).toBe('application/json')
  })

  it('repeats an export that the collector asks to repeat, three times at most', async () => {
    const collector = createCollector(503, 'unreachable', 200)
    const send = openTraced({ fetch: collector.fetch, metrics: false })
    await (await send('tools/list')).exported
    expect(collector.sent).toHaveLength(3)
    const down = createCollector(429)
    const again = openTraced({ fetch: down.fetch, metrics: false })
    await (await again('tools/list')).exported
    expect(down.sent).toHaveLength(3)
  })

  it('does not repeat an export that the collector refuses', async () => {
    const collector = createCollector(400)
    const send = openTraced({ fetch: collector.fetch, metrics: false })
    await (await send('tools/list')).exported
    expect(collector.sent).toHaveLength(1)
  })

  it('answers at once when the collector never answers, and limits the exports at the same time', async () => {
    const collector = createCollector('silent')
    const send = openTraced({ fetch: collector.fetch, metrics: false })
    for (let count = 0; count < 20; count++) {
      expect((await send('tools/list')).status).toBe(200)
    }
    await vi.waitFor(() => expect(collector.sent).toHaveLength(4))
  })

  it('answers when an option throws', async () => {
    const send = openTraced({
      headers: () => {
        throw new Error('no')
      },
    })
    const { status, exported } = await send('tools/list')
    expect(status).toBe(200)
    await exported
  })

  it.each(['', 'otlp.example', 'ftp://otlp.example'])('refuses the URL %j', (url) => {
    expect(() => otlp({ url, serviceName: 'x' })).toThrow('otlp: url must be an http(s) URL')
  })
})
