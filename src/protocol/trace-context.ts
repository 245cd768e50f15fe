/** W3C Trace Context: parses what a client sends, and creates the contexts of spans. */

/** The identity of one span, as plain data. */
export interface SpanContext {
  /** 32 lower-case hexadecimal digits. */
  readonly traceId: string
  /** 16 lower-case hexadecimal digits. */
  readonly spanId: string
  /** The span that caused this one; undefined for the first of a trace. */
  readonly parentSpanId: string | undefined
  /** The decision of the caller that started the trace; undefined where this server starts it. */
  readonly isSampled: boolean | undefined
  readonly tracestate: string | undefined
}

/** What a caller says about its trace. */
export type RemoteParent = Pick<SpanContext, 'traceId' | 'spanId' | 'tracestate'> & {
  readonly isSampled: boolean
}

// Fixed-width fields without nested repetition: linear time on any input.
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const NO_TRACE = '0'.repeat(32)
const NO_SPAN = '0'.repeat(16)
const FORBIDDEN_VERSION = 'ff'
const FIRST_VERSION = '00'
const SAMPLED = 1
/** Maximum length of a header of a later version, in UTF-16 code units. */
const MAX_TRACEPARENT = 256
/** The length that every participant must propagate. A longer one is dropped as a whole. */
const MAX_TRACESTATE = 512
const MAX_TRACESTATE_MEMBERS = 32
const TRACESTATE_MEMBER = /^[a-z0-9][a-z0-9_\-*/@]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{1,256}$/

/**
 * Parses `traceparent` and `tracestate`. Undefined for a malformed `traceparent`: the receiver then starts a
 * trace. A malformed `tracestate` is dropped alone.
 *
 * @see https://www.w3.org/TR/trace-context/#traceparent-header-field-values
 */
export function parseTraceContext(
  traceparent: unknown,
  tracestate: unknown,
): RemoteParent | undefined {
  if (typeof traceparent !== 'string' || traceparent.length > MAX_TRACEPARENT) return undefined
  const match = TRACEPARENT.exec(traceparent)
  if (match === null) return undefined
  const [, version = '', traceId = '', spanId = '', flags = '', rest] = match
  if (version === FORBIDDEN_VERSION || traceId === NO_TRACE || spanId === NO_SPAN) return undefined
  // A later version may have further fields.
  if (version === FIRST_VERSION && rest !== undefined) return undefined
  const isSampled = (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED
  return { traceId, spanId, isSampled, tracestate: readTracestate(tracestate) }
}

function readTracestate(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_TRACESTATE) return undefined
  const members = value.split(',').map((member) => member.trim())
  const present = members.filter((member) => member !== '')
  const isValid =
    present.length > 0 &&
    present.length <= MAX_TRACESTATE_MEMBERS &&
    present.every((member) => TRACESTATE_MEMBER.test(member))
  return isValid ? present.join(',') : undefined
}

/** The context of a span that a caller has caused, or of the first span of a trace. */
export function createSpanContext(parent: RemoteParent | undefined): SpanContext {
  const bytes = crypto.getRandomValues(new Uint8Array(24))
  const spanId = toHex(bytes, 16, 24)
  return parent === undefined
    ? {
        traceId: toHex(bytes, 0, 16),
        spanId,
        parentSpanId: undefined,
        isSampled: undefined,
        tracestate: undefined,
      }
    : {
        traceId: parent.traceId,
        spanId,
        parentSpanId: parent.spanId,
        isSampled: parent.isSampled,
        tracestate: parent.tracestate,
      }
}

/** The context of a span within another one of this server. */
export function childOf(parent: SpanContext): SpanContext {
  const spanId = toHex(crypto.getRandomValues(new Uint8Array(8)), 0, 8)
  return { ...parent, spanId, parentSpanId: parent.spanId }
}

/** Random bytes are never all zero in practice, which the specification forbids. */
function toHex(bytes: Uint8Array, from: number, to: number): string {
  let text = ''
  for (let at = from; at < to; at += 1) text += (bytes[at] ?? 0).toString(16).padStart(2, '0')
  return text
}
