/** Records one request, from its start to its end, for telemetry and the observers of the request. Exists only while one of them reads it. */

import { hashKey } from '../platform/fnv.ts'
import type { CancelReason } from '../ports/cancel-reason.ts'
import type { RequestEvent, RequestOutcome, RequestStart } from '../ports/request-event.ts'
import type { RequestObserver } from '../ports/request-observer.ts'
import type { SessionClaims } from '../ports/session-claims.ts'
import type { Recorder, TelemetrySink } from '../ports/telemetry.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { ResponseMessage } from '../protocol/json-rpc.ts'
import { metaOf } from '../protocol/meta.ts'
import { InsufficientScopeError, ProtocolError } from '../protocol/protocol-error.ts'
import type { Revision } from '../protocol/revisions.ts'
import { createSpanContext, parseTraceContext } from '../protocol/trace-context.ts'
import type { CallRecording } from './call-recording.ts'
import type { Dispatcher } from './dispatcher.ts'
import { Suspension } from './journal/suspension.ts'
import type { Outcome } from './outcome.ts'
import { SpanRecording } from './span-recording.ts'

/** Longest name and version of a client in an event, in UTF-16 code units. */
const MAX_CLIENT_FIELD = 64
const REQUEST_ID = /^[\w.:-]{1,64}$/

type Client = NonNullable<RequestEvent['client']>

/** The part of a message that is recorded. */
interface RecordedMessage {
  readonly id?: string | number | undefined
  readonly method: string
  readonly params: JsonObject | undefined
}

/** How a request ended, apart from what its HTTP response says. */
interface RequestEnd {
  readonly outcome: RequestOutcome
  readonly reason?: RequestEvent['reason']
  readonly errorCode?: number | undefined
}

export class Recording implements CallRecording {
  /** What reads the request besides telemetry; undefined for nothing. */
  readonly observer: RequestObserver | undefined
  readonly #recorder: Recorder
  readonly #waitUntil: (promise: Promise<unknown>) => void
  #start: RequestStart
  #spans: SpanRecording | undefined
  #method: string | undefined
  #name: string | undefined
  #revision: Revision | undefined
  #requestId: RequestEvent['requestId']
  #client: RequestEvent['client']
  #transport: RequestEvent['transport'] = 'streamable-http'
  #end: RequestEnd | undefined
  #reference: string | undefined
  #isToolError = false
  #usesObject = false
  #bytesIn: number | undefined
  #bytesOut: number | undefined
  /** Whether the event is reported, or another object reports it. */
  #isOver = false
  /** Whether the request ends after its HTTP response has begun. */
  #continues = false

  /** @param recorder reports to the observer too */
  constructor(
    recorder: Recorder,
    start: RequestStart,
    waitUntil: (promise: Promise<unknown>) => void,
    observer?: RequestObserver,
  ) {
    this.observer = observer
    this.#recorder = recorder
    this.#start = start
    this.#waitUntil = waitUntil
  }

  /** Reports what happens to this request. */
  get report(): TelemetrySink {
    return this.#recorder.report
  }

  get spans(): SpanRecording | undefined {
    const { trace } = this.#start
    if (!this.#recorder.recordsSpans || trace === undefined) return undefined
    this.#spans ??= new SpanRecording(this.#recorder.report, trace, () => this.#method)
    return this.#spans
  }

  enterHandler(spans: SpanRecording): void {
    this.#spans = spans
  }

  get name(): string | undefined {
    return this.#name
  }

  /** What a session object needs to report the end of the request. */
  get start(): RequestStart {
    return this.#bytesIn === undefined ? this.#start : { ...this.#start, bytesIn: this.#bytesIn }
  }

  set bytesIn(bytes: number) {
    this.#bytesIn = bytes
  }

  set bytesOut(bytes: number) {
    this.#bytesOut = bytes
  }

  /**
   * @param body as the client sent it
   * @param message undefined for a batch
   */
  received(body: unknown, message: RecordedMessage | ResponseMessage | undefined): void {
    this.observer?.received(body)
    if (message === undefined || !('method' in message)) return
    this.read(message)
    this.readTrace(message)
  }

  identified(clientId: string, subject: string): void {
    this.observer?.identified(clientId, subject)
    this.#connect({ client: hashKey(clientId) })
  }

  /** Reads what names a message. */
  read({ id, method }: Pick<RecordedMessage, 'id' | 'method'>): void {
    if (this.#recorder.isKnownMethod(method)) this.#method = method
    this.#requestId = typeof id === 'string' && !REQUEST_ID.test(id) ? undefined : id
  }

  /**
   * Reads the trace context of a message, which takes precedence over that of its HTTP request.
   *
   * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/index#meta
   */
  readTrace({ params }: Pick<RecordedMessage, 'params'>): void {
    const meta = metaOf(params)
    const parent = parseTraceContext(meta?.traceparent, meta?.tracestate)
    if (parent !== undefined) this.#start = { ...this.#start, trace: createSpanContext(parent) }
  }

  /** @param client as it calls itself */
  identify(
    dispatcher: Dispatcher | undefined,
    revision: Revision,
    { method, params }: RecordedMessage,
    client: Client | undefined,
  ): void {
    this.#revision = revision
    this.#name = dispatcher?.nameOf(method, params)
    this.#client = client && { name: shorten(client.name), version: shorten(client.version) }
  }

  inSession(claims: SessionClaims): void {
    const session = hashKey(claims.name)
    this.observer?.inSession?.(session, claims)
    this.continueSession(claims.transport, session)
  }

  /** @param session a key of the session, not its id */
  continueSession(transport: RequestEvent['transport'], session: string): void {
    this.#transport = transport
    this.#connect({ session })
  }

  markObject(): void {
    this.#usesObject = true
  }

  markToolError(): void {
    this.#isToolError = true
  }

  failed(reference: string): void {
    this.#reference = reference
  }

  cancelled(reason: CancelReason): void {
    this.#end ??= { outcome: 'cancelled', reason }
  }

  refused(reason: RequestEvent['reason'], errorCode?: number): void {
    this.#end = { outcome: 'refused', reason, errorCode }
  }

  /** A fault of the runtime. */
  fail(errorCode: number): void {
    this.#end = { outcome: 'error', errorCode }
  }

  settle(outcome: Outcome): void {
    this.#end ??= this.#endOf(outcome)
  }

  /** The answer is a stream that is still open when the response is returned. */
  continueAfterResponse(): void {
    this.#continues = true
  }

  /** The stream of the response is over. */
  streamEnded(): void {
    this.observer?.ended?.()
  }

  /** A recording of one message of a batch. */
  forItem(message: RecordedMessage): Recording {
    const item = new Recording(this.#recorder, this.#start, this.#waitUntil)
    item.#transport = this.#transport
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
    if (!this.#continues) this.finish(response.status, this.#end ?? endOf(response))
    this.observer?.answered(response, this.#continues || isEventStream(response))
  }

  /** Reports the event. */
  finish(status: number | undefined, end: RequestEnd = this.#end ?? { outcome: 'ok' }): void {
    if (this.#isOver) return
    this.#isOver = true
    const start = this.#start
    this.#recorder.report({
      // Each member by itself: a spread of the start would cost as much as all others together.
      type: 'request',
      startedAt: start.startedAt,
      durationMs: Math.max(0, Date.now() - start.startedAt),
      httpMethod: start.httpMethod,
      connection: start.connection,
      bytesIn: this.#bytesIn ?? start.bytesIn,
      trace: start.trace,
      method: this.#method,
      name: this.#name,
      requestId: this.#requestId,
      era: this.#transport === 'http-sse' ? 'http-sse' : this.#revision?.era,
      revision: this.#revision?.id,
      client: this.#client,
      transport: this.#transport,
      outcome: end.outcome,
      reason: end.reason,
      errorCode: end.errorCode,
      reference: this.#reference,
      status,
      bytesOut: this.#bytesOut,
      usesObject: this.#usesObject,
    })
    this.#recorder.flush(this.#waitUntil)
  }

  #connect(keys: Partial<RequestStart['connection']>): void {
    this.#start = { ...this.#start, connection: { ...this.#start.connection, ...keys } }
  }

  #endOf(outcome: Outcome): RequestEnd {
    if (outcome instanceof Suspension) return { outcome: 'input-required' }
    if (outcome instanceof InsufficientScopeError) {
      return { outcome: 'refused', reason: 'insufficient_scope', errorCode: outcome.code }
    }
    if (outcome instanceof ProtocolError) return { outcome: 'error', errorCode: outcome.code }
    return { outcome: this.#isToolError ? 'tool-error' : 'ok' }
  }
}

/** The end of a request whose method has no outcome: a stream, a message without an answer, a refused token. */
function endOf(response: Response): RequestEnd {
  const { status } = response
  if (status === 202 || status === 204) return { outcome: 'accepted' }
  if (status >= 400) return { outcome: 'refused' }
  return { outcome: isEventStream(response) ? 'stream' : 'ok' }
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
