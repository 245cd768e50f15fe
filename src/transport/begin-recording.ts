/** Begins the recording of an HTTP request, from what its headers say. */
import { Recording } from '../dispatch/recording.ts'
import { clientAddress, networkOf } from '../platform/client-network.ts'
import { ambiguousKey } from '../platform/fnv.ts'
import { LruMap } from '../platform/lru-map.ts'
import type { RequestStart } from '../ports/request-event.ts'
import type { RequestObserver } from '../ports/request-observer.ts'
import type { Recorder } from '../ports/telemetry.ts'
import {
  createSpanContext,
  parseTraceContext,
  type SpanContext,
} from '../protocol/trace-context.ts'

const HTTP_METHODS = ['GET', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PUT', 'PATCH']

/**
 * @param env the Worker's bindings, which the sinks receive
 * @param observer what reads the request besides telemetry, and the recorder reports to
 */
export function beginRecording(
  recorder: Recorder,
  request: Request,
  env: unknown,
  waitUntil: (promise: Promise<unknown>) => void,
  observer?: RequestObserver,
): Recording {
  recorder.enter(env)
  const trace = recorder.recordsSpans ? readTrace(request) : undefined
  return new Recording(recorder, httpStart(request, trace), waitUntil, observer)
}

/** A trace that the headers name is continued, and any other request begins one. */
function readTrace({ headers }: Request): SpanContext {
  const traceparent = headers.get('traceparent')
  if (traceparent === null) return createSpanContext(undefined)
  return createSpanContext(parseTraceContext(traceparent, headers.get('tracestate')))
}

/**
 * What every HTTP request has. Reading a header costs more than the rest, so one is read. The members are
 * plain values: an accessor in an object literal costs more than computing the value.
 */
export function httpStart(request: Request, trace: SpanContext | undefined): RequestStart {
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
