/** Connects the sinks of the author with what the runtime reports to. */
import type { RecordingSink, Telemetry, TelemetryEvent, TelemetrySink } from '../ports/telemetry.ts'
import { createDefaultSink } from './default-sink.ts'

export type TelemetryOption =
  | TelemetrySink
  | RecordingSink
  | readonly (TelemetrySink | RecordingSink)[]

export function createTelemetry(option: TelemetryOption = createDefaultSink()): Telemetry {
  const sinks = Array.isArray(option) ? option : [option as TelemetrySink | RecordingSink]
  const receivers = sinks.map(
    (sink): RecordingSink =>
      typeof sink === 'function' ? { requests: false, record: sink } : sink,
  )
  let environment: unknown
  return {
    report: (event) => {
      for (const receiver of receivers) {
        if (!receives(receiver, event)) continue
        // Without a closure: this runs for each request.
        try {
          ignoreRejection(receiver.record(event, environment))
        } catch {
          // There is no other sink to report the error to.
        }
      }
    },
    recordsRequests: receivers.some(({ requests = true, spans }) => requests || spans),
    recordsSpans: receivers.some(({ spans }) => spans),
    // An isolate has one environment; tests have several.
    enter: (env) => {
      environment = env
    },
    flush: (waitUntil) => {
      for (const receiver of receivers) {
        try {
          ignoreRejection(receiver.flush?.(environment, waitUntil))
        } catch {
          // As above.
        }
      }
    },
  }
}

function receives(
  { requests = true, spans = false }: RecordingSink,
  { type }: TelemetryEvent,
): boolean {
  if (type === 'span') return spans
  return requests || (type !== 'request' && type !== 'http-request' && type !== 'task')
}

/** An `async` function is a valid sink for TypeScript, and a sink cannot fail a request: nor later. */
function ignoreRejection(returned: unknown): void {
  if (returned instanceof Promise) returned.catch(() => undefined)
}
