/** Samples the events of requests: whole traces and whole connections, so that what is kept tells a story. */
import { fnv1a } from '../platform/fnv.ts'
import { LruMap } from '../platform/lru-map.ts'
import type { HttpRequestEvent, RequestEvent, SpanEvent } from '../ports/request-event.ts'
import type { RecordingSink, TelemetryEvent } from '../ports/telemetry.ts'
import type { SpanContext } from '../protocol/trace-context.ts'

export interface SamplingOptions {
  /** The share of traces and connections that is kept: from 0 to 1. */
  readonly rate: number
  /** Whether every request that failed is kept: `error` and `tool-error`. Default false. */
  readonly keepErrors?: boolean
  /** Whether every request that was refused is kept. Default false. */
  readonly keepRefusals?: boolean
}

/** Traces whose spans wait for the end of their request, and spans of each. The oldest trace is dropped. */
const MAX_TRACES = 128
const MAX_SPANS = 128

const HASH_RANGE = 2 ** 32

/**
 * Wraps a sink. Requests with a trace are kept or dropped with their trace, and the decision of the caller
 * that started it is respected (`sampled` of `traceparent`). Others are kept or dropped with their session,
 * client or network. Events that are not of requests always pass.
 *
 * @throws {TypeError} for a rate that is not from 0 to 1
 */
export function sampled(sink: RecordingSink, options: SamplingOptions): RecordingSink {
  const { rate } = options
  if (!(rate >= 0 && rate <= 1)) throw new TypeError('sampled: rate must be from 0 to 1')
  /** The spans of traces that are not kept by their rate, until their request says how it ended. */
  const waiting = new LruMap<SpanEvent[]>(MAX_TRACES)
  const recordSpan = (event: SpanEvent, env: unknown) => {
    if (isInSample(event.trace, '', rate)) return sink.record(event, env)
    if (options.keepErrors !== true && options.keepRefusals !== true) return
    const spans = waiting.get(event.trace.traceId) ?? []
    if (spans.length < MAX_SPANS) spans.push(event)
    waiting.set(event.trace.traceId, spans)
  }
  const recordRequest = (event: RequestEvent | HttpRequestEvent, env: unknown) => {
    const trace = event.type === 'request' ? event.trace : undefined
    const isKept = isAlwaysKept(event, options)
    const spans = trace && waiting.get(trace.traceId)
    if (trace !== undefined) waiting.delete(trace.traceId)
    if (!isKept && !isInSample(trace, connectionOf(event), rate)) return
    for (const span of spans ?? []) sink.record(span, env)
    // A request that is kept for what it is, or by the decision of its caller, stands for itself alone.
    const isChosen = isKept || trace?.isSampled !== undefined
    sink.record(isChosen ? event : { ...event, weight: 1 / rate }, env)
  }
  return {
    ...sink,
    flush: sink.flush && ((env, waitUntil) => sink.flush?.(env, waitUntil)),
    record(event: TelemetryEvent, env: unknown) {
      if (event.type === 'span') recordSpan(event, env)
      else if (event.type === 'request' || event.type === 'http-request') recordRequest(event, env)
      else sink.record(event, env)
    },
  }
}

function isAlwaysKept(
  event: RequestEvent | HttpRequestEvent,
  { keepErrors = false, keepRefusals = false }: SamplingOptions,
): boolean {
  if (event.type === 'http-request') return keepRefusals && event.status >= 400
  const { outcome } = event
  return (
    (keepErrors && (outcome === 'error' || outcome === 'tool-error')) ||
    (keepRefusals && outcome === 'refused')
  )
}

function isInSample(trace: SpanContext | undefined, connection: string, rate: number): boolean {
  if (trace?.isSampled !== undefined) return trace.isSampled
  return fnv1a(trace?.traceId ?? connection) / HASH_RANGE < rate
}

function connectionOf({ connection }: RequestEvent | HttpRequestEvent): string {
  const { session, client, network } = connection
  return session ?? client ?? network ?? ''
}
