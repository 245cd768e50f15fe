/**
 * OpenTelemetry as a sink: spans and durations of requests, and counts of events, sent to a collector as JSON over HTTP.
 * The events of one request are one batch, sent behind its response.
 *
 * @see https://opentelemetry.io/docs/specs/otlp/#otlphttp
 */
import { JsonMetricsSerializer, JsonTraceSerializer } from '@opentelemetry/otlp-transformer'
import type { HttpRequestEvent, RequestEvent, SpanEvent } from '../../../src/ports/request-event.ts'
import type { RecordingSink, TelemetryEvent } from '../../../src/ports/telemetry.ts'
import { type ExportTarget, exportBody } from './export.ts'
import { isCounted, toMetrics } from './metrics.ts'
import { createOrigin } from './origin.ts'
import type { CountedEvent } from './semantic-conventions.ts'
import { toSpan } from './spans.ts'

export interface OtlpOptions {
  /** The collector, without `/v1/traces`: `https://otlp.example`. */
  readonly url: string
  /** Headers with the credentials of the collector. A function reads them from the environment. */
  readonly headers?: CollectorHeaders | ((env: never) => CollectorHeaders)
  /** `service.name`. */
  readonly serviceName: string
  /** Further attributes of the resource, such as `deployment.environment.name`. */
  readonly resource?: Readonly<Record<string, string>>
  /** Whether spans are sent. Default true. */
  readonly traces?: boolean
  /** Whether durations are sent as metrics. Default true. */
  readonly metrics?: boolean
  /** Replaces `fetch`, for a collector behind a service binding. */
  readonly fetch?: typeof fetch
}

type CollectorHeaders = Readonly<Record<string, string>>
type Buffered = RequestEvent | HttpRequestEvent | SpanEvent | CountedEvent

/** Events that wait for an export. More are dropped, so that a collector that is down fills no memory. */
const MAX_BUFFERED = 2_048

/** Exports at the same time. The events of further requests wait for the next one. */
const MAX_EXPORTS = 4

type DeprecatedCall = Extract<TelemetryEvent, { readonly type: 'deprecated-call' }>

/** A client chooses its name, and each name is a series of its own at the collector. */
const MAX_CLIENTS = 100

/** @throws {TypeError} for an invalid URL */
export function otlp(options: OtlpOptions): RecordingSink {
  const { serviceName, resource = {}, traces = true, metrics = true } = options
  const base = baseOf(options.url)
  const origin = createOrigin(serviceName, resource)
  let buffer: Buffered[] = []
  let exports = 0
  let since = Date.now()

  const clients = new Set<string>()
  const withKnownClient = (event: DeprecatedCall): DeprecatedCall => {
    if (clients.size < MAX_CLIENTS) clients.add(event.client)
    return clients.has(event.client) ? event : { ...event, client: 'other' }
  }

  const send = async (events: readonly Buffered[], from: number, env: unknown) => {
    const target = (path: string): ExportTarget => ({
      url: `${base}${path}`,
      headers: headersOf(options.headers, env),
      fetch: options.fetch ?? fetch,
    })
    const bodies: Promise<boolean>[] = []
    if (traces) {
      const spans = events.flatMap((event) =>
        event.type === 'request' || event.type === 'span' ? (toSpan(event, origin) ?? []) : [],
      )
      const body = spans.length === 0 ? undefined : JsonTraceSerializer.serializeRequest(spans)
      if (body !== undefined) bodies.push(exportBody(target('/v1/traces'), body))
    }
    if (metrics) {
      const requests = events.filter((event) => event.type !== 'span')
      const measured = toMetrics(requests, from, origin)
      const body = measured && JsonMetricsSerializer.serializeRequest(measured)
      if (body !== undefined) bodies.push(exportBody(target('/v1/metrics'), body))
    }
    await Promise.all(bodies)
  }

  return {
    requests: true,
    spans: traces,
    record(given) {
      const event = given.type === 'deprecated-call' ? withKnownClient(given) : given
      const isSent =
        event.type === 'request' ||
        event.type === 'http-request' ||
        event.type === 'span' ||
        isCounted(event)
      if (isSent && buffer.length < MAX_BUFFERED) buffer.push(event)
    },
    flush(env, waitUntil) {
      if (buffer.length === 0 || exports >= MAX_EXPORTS) return
      const events = buffer
      const from = since
      buffer = []
      since = Date.now()
      exports += 1
      const sent = send(events, from, env)
        // Such as an option that throws: there is no other sink to report it to.
        .catch(() => undefined)
        .finally(() => {
          exports -= 1
        })
      waitUntil(sent)
    },
  }
}

function baseOf(url: string): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new TypeError('otlp: url must be an http(s) URL, such as https://otlp.example')
  }
  return url.replace(/\/$/, '')
}

function headersOf(headers: OtlpOptions['headers'], env: unknown): CollectorHeaders {
  return typeof headers === 'function' ? headers(env as never) : (headers ?? {})
}
