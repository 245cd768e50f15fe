/** Begins the recordings of an app, for all that reads its requests: telemetry, and what features bring. */
import { clientAddress, networkOf } from '../platform/client-network.ts'
import { ambiguousKey } from '../platform/fnv.ts'
import { LruMap } from '../platform/lru-map.ts'
import type { Background } from '../ports/authenticator.ts'
import type { RecordedRequest, RequestStart, TaskEvent } from '../ports/request-event.ts'
import type { Observe, RequestObserver, RequestReader } from '../ports/request-observer.ts'
import type { EventReport, Telemetry } from '../ports/telemetry.ts'
import type { JsonObject } from '../protocol/json.ts'
import {
  createSpanContext,
  parseTraceContext,
  type SpanContext,
} from '../protocol/trace-context.ts'
import { type Audience, answered, Recording } from './recording.ts'

/** The request of a task, as far as it is recorded. */
interface TaskCall {
  readonly method: string
  readonly params: JsonObject | undefined
  readonly exchange?: RecordedRequest['exchange']
}

export class Recorder {
  readonly #telemetry: Telemetry
  readonly #readers: readonly RequestReader[]
  /** That of a request which no observer reads. */
  readonly #audience: Audience

  constructor(
    telemetry: Telemetry,
    readers: readonly RequestReader[],
    isKnownMethod: Audience['isKnownMethod'],
  ) {
    this.#telemetry = telemetry
    this.#readers = readers
    this.#audience = { ...telemetry, observe: undefined, exchange: undefined, isKnownMethod }
  }

  /** Names the environment of the Worker to telemetry. */
  enter(env: unknown): void {
    this.#telemetry.enter(env)
  }

  /** Begins the recording of a request at the endpoint, which ends it. Undefined for one that nothing reads. */
  begin(request: Request, env: unknown, waitUntil: Background): Recording | undefined {
    const audience = this.#audienceOf(this.#observers(request, env, waitUntil))
    if (audience === undefined) return undefined
    this.enter(env)
    const trace = audience.recordsSpans ? readTrace(request) : undefined
    return new Recording(audience, httpStart(request, trace), waitUntil)
  }

  /** Continues the recording of a request in the object that runs it. */
  resume(recorded: RecordedRequest, env: unknown, waitUntil: Background): Recording | undefined {
    const { exchange } = recorded
    const audience = this.#audienceOf(
      exchange === undefined ? undefined : this.#inObject(exchange, env, waitUntil),
    )
    if (audience === undefined) return undefined
    this.enter(env)
    const recording = new Recording(audience, recorded, waitUntil)
    recording.markObject()
    return recording
  }

  /** Records the spans of one stay of a task in memory; undefined when nothing receives spans. */
  resumeTask(
    { method, params, exchange }: TaskCall,
    env: unknown,
    waitUntil: Background,
  ): Recording | undefined {
    if (exchange === undefined && !this.#telemetry.recordsSpans) return undefined
    const recorded: RecordedRequest = {
      startedAt: Date.now(),
      httpMethod: 'POST',
      connection: { network: undefined, client: undefined, session: undefined },
      bytesIn: undefined,
      trace: createSpanContext(undefined),
      exchange,
    }
    const recording = this.resume(recorded, env, waitUntil)
    recording?.read({ method })
    // A task that was called with a trace continues it.
    recording?.readTrace({ params })
    return recording
  }

  /** Reports what happens in an object outside of a request: the status of a task, a delivery of an event. */
  reportInObject(event: TaskEvent | EventReport, env: unknown, waitUntil: Background): void {
    this.enter(env)
    this.#telemetry.report(event)
    observeAll(this.#inObject(undefined, env, waitUntil))(event)
    this.#telemetry.flush(waitUntil)
  }

  /**
   * Records a request outside of the endpoint.
   *
   * @param route the path as the app knows it
   * @param isServed whether its host is
   */
  async elsewhere(
    request: Request,
    env: unknown,
    waitUntil: Background,
    { route, isServed }: { readonly route: string | undefined; readonly isServed: boolean },
    serve: (observe: Observe | undefined) => Promise<Response>,
  ): Promise<Response> {
    const observers = isServed ? this.#observers(request, env, waitUntil) : undefined
    const observe = observers && observeAll(observers)
    this.enter(env)
    const { trace: _, ...start } = httpStart(request, undefined)
    const response = await serve(observe)
    observe?.(answered(response, false))
    this.#telemetry.report({
      ...start,
      type: 'http-request',
      durationMs: Math.max(0, Date.now() - start.startedAt),
      route,
      status: response.status,
    })
    this.#telemetry.flush(waitUntil)
    return response
  }

  #observers(
    request: Request,
    env: unknown,
    background: Background,
  ): readonly RequestObserver[] | undefined {
    let observers: RequestObserver[] | undefined
    for (const reader of this.#readers) {
      const observer = reader.begin(request, env, background)
      if (observer === undefined) continue
      observers ??= []
      observers.push(observer)
    }
    return observers
  }

  /** See `RequestReader.resume`. */
  #inObject(
    exchange: RecordedRequest['exchange'],
    env: unknown,
    background: Background,
  ): readonly RequestObserver[] {
    return this.#readers.flatMap((reader) => reader.resume?.(exchange, env, background) ?? [])
  }

  #audienceOf(observers: readonly RequestObserver[] | undefined): Audience | undefined {
    if (observers === undefined || observers.length === 0) {
      return this.#telemetry.recordsRequests ? this.#audience : undefined
    }
    const observe = observeAll(observers)
    const { report, recordsSpans } = this.#telemetry
    return {
      ...this.#audience,
      observe,
      exchange: observers.find(({ exchange }) => exchange !== undefined)?.exchange,
      recordsSpans: recordsSpans || observers.some(({ receivesSpans }) => receivesSpans),
      report(event) {
        observe(event)
        report(event)
      },
    }
  }
}

function observeAll(observers: readonly RequestObserver[]): Observe {
  return (moment) => {
    for (const observer of observers) {
      try {
        observer.observe(moment)
      } catch {
        // Observers are a convenience. The request is served all the same.
      }
    }
  }
}

/** A trace that the headers name is continued, and any other request begins one. */
function readTrace({ headers }: Request): SpanContext {
  const traceparent = headers.get('traceparent')
  if (traceparent === null) return createSpanContext(undefined)
  return createSpanContext(parseTraceContext(traceparent, headers.get('tracestate')))
}

const HTTP_METHODS = ['GET', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PUT', 'PATCH']

/**
 * What every HTTP request has. Reading a header costs more than the rest, so one is read. The members are
 * plain values: an accessor in an object literal costs more than computing the value.
 */
function httpStart(request: Request, trace: SpanContext | undefined): RequestStart {
  const { method } = request
  return {
    startedAt: Date.now(),
    httpMethod: HTTP_METHODS.includes(method) ? method : '_OTHER',
    connection: {
      network: networkKey(clientAddress(request.headers)),
      client: undefined,
      session: undefined,
    },
    bytesIn: undefined,
    trace,
  }
}

/** Addresses whose keys are known: parsing one costs more than the rest of a recording. */
const MAX_ADDRESSES = 1_000

const networkKeys = new LruMap<string>(MAX_ADDRESSES)
const LOCAL_KEY = ambiguousKey(networkOf(null))

function networkKey(address: string | null): string {
  if (address === null) return LOCAL_KEY
  const known = networkKeys.peek(address)
  if (known !== undefined) return known
  const key = ambiguousKey(networkOf(address))
  networkKeys.set(address, key)
  return key
}
