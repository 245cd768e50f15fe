/** Telemetry as the rest of the house may call it. */
import type { TelemetryEvent, TelemetrySink } from '../ports/telemetry.ts'

/** A sink that throws must not take the request with it. */
export function guardSink(sink: TelemetrySink): TelemetrySink {
  return (event: TelemetryEvent) => {
    try {
      sink(event)
    } catch {
      // There is nowhere left to tell.
    }
  }
}
