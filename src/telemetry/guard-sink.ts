/** Wraps a telemetry sink so that it cannot fail a request. */
import type { TelemetryEvent, TelemetrySink } from '../ports/telemetry.ts'

export function guardSink(sink: TelemetrySink): TelemetrySink {
  return (event: TelemetryEvent) => {
    try {
      sink(event)
    } catch {
      // There is no other sink to report the error to.
    }
  }
}
