/** Records one request, from its start to its end. Exists only while telemetry or an observer reads the request. */

import { readBoundedText } from '../platform/bounded-body.ts'
import { hashKey } from '../platform/fnv.ts'
import type { CancelReason } from '../ports/cancel-reason.ts'
import type {
  RecordedRequest,
  RequestEvent,
  RequestStart,
  SpanEvent,
  SpanKind,
} from '../ports/request-event.ts'
import type { Observe, RequestMoment } from '../ports/request-observer.ts'
import type { SessionClaims } from '../ports/session-claims.ts'
import type { Telemetry, TelemetrySink } from '../ports/telemetry.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { ResponseMessage } from '../protocol/json-rpc.ts'
import { introductionOf, metaOf } from '../protocol/meta.ts'
import { ProtocolError } from '../protocol/protocol-error.ts'
import type { Revision } from '../protocol/revisions.ts'
import {
  childOf,
  createSpanContext,
  parseTraceContext,
  type SpanContext,
} from '../protocol/trace-context.ts'
import { Suspension } from './journal/suspension.ts'
import type { Outcome } from './outcome.ts'
import type { Target } from './target.ts'

/** Longest name and version of a client in an event, in UTF-16 code units. */
const MAX_CLIENT_FIELD = 64
const REQUEST_ID = /^[\w.:-]{1,64}$/

/** Spans of one request. A handler that calls in a loop must not fill the memory of a sink. */
const MAX_SPANS = 128

/** An answer that is longer is not read, in bytes. */
const MAX_ANSWER_BYTES = 1024 * 1024

/** What a recording reports to. */
export interface Audience extends Pick<Telemetry, 'report' | 'recordsSpans' | 'flush'> {
  /** Undefined for a request that telemetry alone reads. */
  readonly observe: Observe | undefined
  readonly exchange: RecordedRequest['exchange']
  /** Whether any revision has the method: a method that a client has made up is not recorded. */
  readonly isKnownMethod: (method: string) => boolean
}

type Client = NonNullable<RequestEvent['client']>

/** The part of a message that is recorded. */
interface RecordedMessage {
  readonly id?: string | number | undefined
  readonly method: string
  readonly params: JsonObject | undefined
}

export class Recording {
  /** What is known so far. Reported at the end of the request, and not changed afterwards. */
  readonly event: { -readonly [Name in keyof RequestEvent]: RequestEvent[Name] }
  readonly #audience: Audience
  readonly #waitUntil: (promise: Promise<unknown>) => void
  /** The span of the handler that has begun. */
  #handler: SpanContext | undefined
  #spans = 0
  #isToolError = false
  #hasOutcome = false
  /** Whether the event is reported, or another object reports it. */
  #isOver = false
  /** Whether the request ends after its HTTP response has begun. */
  #continues = false

  constructor(
    audience: Audience,
    { startedAt, httpMethod, connection, bytesIn, trace }: RequestStart,
    waitUntil: (promise: Promise<unknown>) => void,
  ) {
    this.#audience = audience
    this.#waitUntil = waitUntil
    this.event = {
      type: 'request',
      startedAt,
      durationMs: 0,
      httpMethod,
      connection,
      bytesIn,
      trace,
      method: undefined,
      name: undefined,
      requestId: undefined,
      era: undefined,
      revision: undefined,
      client: undefined,
      transport: 'streamable-http',
      outcome: 'ok',
      reason: undefined,
      errorCode: undefined,
      reference: undefined,
      status: undefined,
      bytesOut: undefined,
      usesObject: false,
    }
  }

  /** Reports what happens to this request, to its observers too. */
  get report(): TelemetrySink {
    return this.#audience.report
  }

  /** Undefined for a request that telemetry alone reads. */
  get observe(): Observe | undefined {
    return this.#audience.observe
  }

  get recordsSpans(): boolean {
    return this.#audience.recordsSpans && this.event.trace !== undefined
  }

  /** What an object needs to continue the recording. */
  get start(): RecordedRequest {
    const { startedAt, httpMethod, connection, bytesIn, trace } = this.event
    return { startedAt, httpMethod, connection, bytesIn, trace, exchange: this.exchange }
  }

  get exchange(): RecordedRequest['exchange'] {
    return this.#audience.exchange
  }

  /**
   * @param body as the client sent it
   * @param message undefined for a batch
   */
  received(body: unknown, message: RecordedMessage | ResponseMessage | undefined): void {
    const { observe } = this
    observe?.({ type: 'received', body, ...introductionOf(Array.isArray(body) ? body[0] : body) })
    if (message === undefined || !('method' in message)) return
    this.read(message)
    this.readTrace(message)
  }

  identified(clientId: string, subject: string): void {
    this.observe?.({ type: 'identified', clientId, subject })
    this.#connect({ client: hashKey(clientId) })
  }

  /** Reads what names a message. */
  read({ id, method }: Pick<RecordedMessage, 'id' | 'method'>): void {
    if (this.#audience.isKnownMethod(method)) this.event.method = method
    this.event.requestId = typeof id === 'string' && !REQUEST_ID.test(id) ? undefined : id
  }

  /**
   * Reads the trace context of a message, which takes precedence over that of its HTTP request.
   *
   * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/index#meta
   */
  readTrace({ params }: Pick<RecordedMessage, 'params'>): void {
    const meta = metaOf(params)
    const parent = parseTraceContext(meta?.traceparent, meta?.tracestate)
    if (parent !== undefined) this.event.trace = createSpanContext(parent)
  }

  /** @param client as it calls itself */
  identify(target: Target | undefined, { era, id }: Revision, client: Client | undefined): void {
    this.event.era = era
    this.event.revision = id
    this.event.name = target?.name
    this.event.client = client && { name: shorten(client.name), version: shorten(client.version) }
  }

  inSession(claims: SessionClaims): void {
    const session = hashKey(claims.name)
    this.observe?.({ type: 'session', session, claims })
    this.event.transport = claims.transport
    this.#connect({ session })
  }

  /** Runs `work` in a span. It returns a promise only if `work` does, so that a quick call stays quick. */
  within<T>(kind: SpanKind, name: string, work: () => T): T {
    const { trace: context, method } = this.event
    const parent = kind === 'handler' ? context : (this.#handler ?? context)
    if (!this.recordsSpans || parent === undefined || this.#spans >= MAX_SPANS) return work()
    this.#spans += 1
    const trace = childOf(parent)
    // What follows is inside the handler.
    if (kind === 'handler') this.#handler = trace
    const startedAt = Date.now()
    const end = (outcome: SpanEvent['outcome']) => {
      const durationMs = Math.max(0, Date.now() - startedAt)
      this.report({ type: 'span', kind, name, method, startedAt, durationMs, outcome, trace })
    }
    const fail = (error: unknown) => end(error instanceof Suspension ? 'suspended' : 'error')
    let returned: T
    try {
      returned = work()
    } catch (error) {
      fail(error)
      throw error
    }
    if (returned instanceof Promise) returned.then(() => end('ok'), fail)
    else end('ok')
    return returned
  }

  /** The request calls a Durable Object. */
  markObject(): void {
    if (!this.#isOver) this.event.usesObject = true
  }

  /** The client receives this reference instead of the text of an error. */
  failed(reference: string): void {
    if (!this.#isOver) this.event.reference = reference
  }

  /** The result has `isError`. */
  markToolError(): void {
    this.#isToolError = true
  }

  /** The first of these and of the outcome of the method counts. */
  cancelled(reason: CancelReason): void {
    if (!this.#hasOutcome) this.#end('cancelled', reason)
  }

  refused(reason: RequestEvent['reason'], errorCode?: number): void {
    this.#end('refused', reason, errorCode)
  }

  /** A fault of the runtime. */
  fail(errorCode: number): void {
    this.#end('error', undefined, errorCode)
  }

  settle(outcome: Outcome): void {
    if (this.#hasOutcome) return
    if (outcome instanceof Suspension) this.#end('input-required')
    else if (outcome instanceof ProtocolError) {
      if (outcome.missingScopes) this.#end('refused', 'insufficient_scope', outcome.code)
      else this.#end('error', undefined, outcome.code)
    } else this.#end(this.#isToolError ? 'tool-error' : 'ok')
  }

  /** The answer is a stream that is still open when the response is returned. */
  continueAfterResponse(): void {
    this.#continues = true
  }

  /** The stream of the response is over. */
  streamEnded(): void {
    this.observe?.({ type: 'ended' })
  }

  /** A recording of one message of a batch, which observers read as a whole. */
  forItem(message: RecordedMessage): Recording {
    const item = new Recording(
      { ...this.#audience, observe: undefined },
      this.event,
      this.#waitUntil,
    )
    item.event.transport = this.event.transport
    item.read(message)
    item.readTrace(message)
    return item
  }

  /** Another object reports the end. */
  abandon(): void {
    this.#isOver = true
  }

  /** The HTTP response is ready, and with it the request unless it continues. */
  respond(response: Response): void {
    if (!this.#continues) {
      if (!this.#hasOutcome) this.#endWith(response)
      this.finish(this.event.status ?? response.status)
    }
    this.observe?.(answered(response, this.#continues || isEventStream(response)))
  }

  /** Reports the event. */
  finish(status: number | undefined): void {
    if (this.#isOver) return
    this.#isOver = true
    const { event } = this
    event.status = status
    event.durationMs = Math.max(0, Date.now() - event.startedAt)
    if (event.transport === 'http-sse') event.era = 'http-sse'
    this.report(event)
    this.#audience.flush(this.#waitUntil)
  }

  #connect(keys: Partial<RequestStart['connection']>): void {
    this.event.connection = { ...this.event.connection, ...keys }
  }

  #end(
    outcome: RequestEvent['outcome'],
    reason?: RequestEvent['reason'],
    errorCode?: number | undefined,
  ): void {
    this.#hasOutcome = true
    this.event.outcome = outcome
    this.event.reason = reason
    this.event.errorCode = errorCode
  }

  /** The end of a request whose method has no outcome: a stream, a message without an answer, a refused token. */
  #endWith(response: Response): void {
    const { status } = response
    if (status === 202 || status === 204) this.#end('accepted')
    else if (status >= 400) this.#end('refused')
    else this.#end(isEventStream(response) ? 'stream' : 'ok')
  }
}

/** A response as observers receive it. */
export function answered(response: Response, isStream: boolean): RequestMoment {
  let read: Promise<string | undefined> | undefined
  const text = () => {
    read ??= readBoundedText(response.clone().body, MAX_ANSWER_BYTES)
    return read
  }
  return { type: 'answered', response, isStream, text }
}

function isEventStream({ headers }: Response): boolean {
  return headers.get('content-type') === 'text/event-stream'
}

const PLAIN = /^[\x20-\x7e]{0,64}$/

/** Text of a client, for display: without control characters and lone surrogates. */
function shorten(text: string): string {
  // Nearly every client.
  if (PLAIN.test(text)) return text
  return text
    .slice(0, MAX_CLIENT_FIELD)
    .replace(/\p{Cc}/gu, ' ')
    .toWellFormed()
}
