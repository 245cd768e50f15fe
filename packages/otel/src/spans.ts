/** Converts events to the spans that the encoder of OpenTelemetry takes. */
import type { RequestEvent, SpanEvent } from '../../../src/ports/request-event.ts'
import type { SpanContext } from '../../../src/protocol/trace-context.ts'
import type { Encoded, Origin } from './origin.ts'
import {
  type Attributes,
  errorType,
  requestAttributes,
  requestSpanName,
  spanAttributes,
} from './semantic-conventions.ts'

type Span = Encoded['spans'][number]

/** Kinds of spans, as the API of OpenTelemetry numbers them. */
const KIND = { internal: 0, server: 1, client: 2 } as const
const STATUS = { unset: 0, error: 2 } as const
const SAMPLED = 1

export function toSpan(event: RequestEvent | SpanEvent, origin: Origin): Span | undefined {
  if (event.trace === undefined) return undefined
  if (event.type === 'request') {
    const failure = errorType(event)
    return span(event, event.trace, origin, {
      name: requestSpanName(event),
      kind: KIND.server,
      attributes: requestAttributes(event),
      failed: failure !== undefined,
      hasRemoteParent: true,
    })
  }
  const { kind, name, outcome } = event
  return span(event, event.trace, origin, {
    name: kind === 'object-call' ? name : `${kind} ${name}`,
    kind: kind === 'object-call' ? KIND.client : KIND.internal,
    attributes: spanAttributes(event),
    failed: outcome === 'error',
    hasRemoteParent: false,
  })
}

interface Described {
  readonly name: string
  readonly kind: number
  readonly attributes: Attributes
  readonly failed: boolean
  readonly hasRemoteParent: boolean
}

function span(
  { startedAt, durationMs }: { readonly startedAt: number; readonly durationMs: number },
  { traceId, spanId, parentSpanId, tracestate }: SpanContext,
  { resource, scope }: Origin,
  { name, kind, attributes, failed, hasRemoteParent }: Described,
): Span {
  const traceState = tracestate === undefined ? undefined : stateOf(tracestate)
  const context = { traceId, traceFlags: SAMPLED, ...(traceState && { traceState }) }
  return {
    name,
    kind,
    spanContext: () => ({ ...context, spanId }),
    ...(parentSpanId !== undefined && {
      parentSpanContext: { ...context, spanId: parentSpanId, isRemote: hasRemoteParent },
    }),
    startTime: hrTime(startedAt),
    endTime: hrTime(startedAt + durationMs),
    duration: hrTime(durationMs),
    status: { code: failed ? STATUS.error : STATUS.unset },
    attributes,
    links: [],
    events: [],
    ended: true,
    resource,
    instrumentationScope: scope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  }
}

/** A trace state that is passed on as it came. */
function stateOf(text: string) {
  const state = {
    get: () => undefined,
    set: () => state,
    unset: () => state,
    serialize: () => text,
  }
  return state
}

/** Seconds and nanoseconds, as the API of OpenTelemetry has times. */
export function hrTime(milliseconds: number): [number, number] {
  const seconds = Math.floor(milliseconds / 1_000)
  return [seconds, Math.round((milliseconds - seconds * 1_000) * 1_000_000)]
}
