import { describe, expect, it } from 'vitest'
import {
  type RequestEvent,
  type SpanEvent,
  sampled,
  type TelemetryEvent,
} from '../../src/telemetry/index.ts'

const REQUEST: RequestEvent = {
  type: 'request',
  startedAt: 0,
  durationMs: 1,
  httpMethod: 'POST',
  connection: { network: 'aaaa', client: undefined, session: undefined },
  bytesIn: 1,
  trace: undefined,
  method: 'tools/call',
  name: 'echo',
  requestId: 1,
  era: 'modern',
  revision: '2026-07-28',
  client: undefined,
  transport: 'streamable-http',
  outcome: 'ok',
  reason: undefined,
  errorCode: undefined,
  reference: undefined,
  status: 200,
  bytesOut: 1,
  usesObject: false,
}

const traceOf = (id: number, isSampled?: boolean) => ({
  traceId: id.toString(16).padStart(32, '0'),
  spanId: 'b'.repeat(16),
  parentSpanId: undefined,
  isSampled,
  tracestate: undefined,
})

const spanOf = (id: number): SpanEvent => ({
  type: 'span',
  kind: 'handler',
  name: 'echo',
  method: 'tools/call',
  startedAt: 0,
  durationMs: 1,
  outcome: 'ok',
  trace: traceOf(id),
})

/** Records events with a sample, and returns those that the sink has received. */
function sample(options: Parameters<typeof sampled>[1], events: readonly TelemetryEvent[]) {
  const kept: TelemetryEvent[] = []
  const sink = sampled({ record: (event) => kept.push(event) }, options)
  for (const event of events) sink.record(event, {})
  return kept
}

const MANY = Array.from({ length: 2_000 }, (_, index) => index + 1)

describe('sampled', () => {
  it('keeps the share of traces that its rate says, each with all of its events', () => {
    const events = MANY.flatMap((id) => [spanOf(id), { ...REQUEST, trace: traceOf(id) }])
    const kept = sample({ rate: 0.25 }, events)
    expect(kept.length / events.length).toBeGreaterThan(0.2)
    expect(kept.length / events.length).toBeLessThan(0.3)
    const requests = kept.filter((event) => event.type === 'request')
    expect(requests).toHaveLength(kept.length / 2)
    expect(requests.every(({ weight }) => weight === 4)).toBe(true)
  })

  it('keeps or drops all requests of a connection without a trace', () => {
    const of = (id: number) => ({
      ...REQUEST,
      connection: { network: 'a', client: 'b', session: id.toString(16).padStart(16, '0') },
    })
    const kept = sample({ rate: 0.5 }, [...MANY, ...MANY].map(of))
    const counts = new Map<string, number>()
    for (const event of kept) {
      const { session = '' } = event.type === 'request' ? event.connection : {}
      counts.set(session, (counts.get(session) ?? 0) + 1)
    }
    expect(new Set(counts.values())).toEqual(new Set([2]))
    expect(counts.size / MANY.length).toBeGreaterThan(0.4)
    expect(counts.size / MANY.length).toBeLessThan(0.6)
  })

  it('respects the decision of the caller that has started the trace', () => {
    const requests = [traceOf(1, true), traceOf(2, false)].map((trace) => ({ ...REQUEST, trace }))
    expect(sample({ rate: 0 }, requests)).toEqual([requests[0]])
    expect(sample({ rate: 1 }, requests)).toEqual([requests[0]])
  })

  it('keeps failed and refused requests with their spans when the author says so', () => {
    const failed = { ...REQUEST, outcome: 'tool-error', trace: traceOf(1) } as const
    const refused = { ...REQUEST, outcome: 'refused', trace: traceOf(2) } as const
    const ok = { ...REQUEST, trace: traceOf(3) }
    const events = [spanOf(1), failed, spanOf(2), refused, spanOf(3), ok]
    expect(sample({ rate: 0 }, events)).toEqual([])
    expect(sample({ rate: 0, keepErrors: true }, events)).toEqual([spanOf(1), failed])
    expect(sample({ rate: 0, keepRefusals: true }, events)).toEqual([spanOf(2), refused])
  })

  it('passes every event that is not of a request', () => {
    const event = { type: 'sign-in-refused', reason: 'passphrase-wrong', message: 'x' } as const
    expect(sample({ rate: 0 }, [event])).toEqual([event])
  })

  it('holds back the spans of a bounded number of requests', () => {
    const kept = sample({ rate: 0, keepErrors: true }, [
      ...MANY.map(spanOf),
      ...MANY.map((id) => ({ ...REQUEST, outcome: 'error' as const, trace: traceOf(id) })),
    ])
    expect(kept.filter(({ type }) => type === 'span')).toHaveLength(128)
  })

  it.each([-0.1, 1.1, Number.NaN])('refuses the rate %d', (rate) => {
    expect(() => sample({ rate }, [])).toThrow('sampled: rate must be from 0 to 1')
  })
})
