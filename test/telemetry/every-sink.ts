/** Every sink at once, with all that they write: for tests of what must never be written. */
import { onTestFinished, vi } from 'vitest'
import { otlp } from '../../packages/otel/src/index.ts'
import {
  analyticsEngine,
  consoleSink,
  type RecordingSink,
  sampled,
  type TelemetryEvent,
} from '../../src/telemetry/index.ts'

export interface EverySink {
  readonly telemetry: readonly RecordingSink[]
  /** The bindings that the sinks need. */
  readonly bindings: Readonly<Record<string, unknown>>
  /** All that was written so far, by the name of the sink. */
  output(): Promise<Readonly<Record<string, string>>>
}

/** @param errorMessages whether the console has the messages of errors, which the author must ask for */
export function openEverySink(errorMessages = false): EverySink {
  const lines: string[] = []
  for (const level of ['error', 'warn', 'info', 'log'] as const) {
    const spy = vi.spyOn(console, level).mockImplementation((line) => void lines.push(String(line)))
    onTestFinished(() => spy.mockRestore())
  }
  const points: string[] = []
  const exported: string[] = []
  const functions: string[] = []
  const pending: Promise<unknown>[] = []
  const collect = async (_: unknown, init?: RequestInit) => {
    const { headers, body } = init ?? {}
    exported.push(JSON.stringify(headers) + new TextDecoder().decode(body as Uint8Array))
    return new Response('{}')
  }
  const collector = otlp({
    url: 'https://otlp.example',
    serviceName: 'canaries',
    fetch: collect as typeof fetch,
  })
  const all = { requests: true, spans: true, errorMessages }
  return {
    telemetry: [
      consoleSink({ ...all, format: 'json' }),
      consoleSink({ ...all, format: 'text' }),
      analyticsEngine(),
      { ...collector, flush: (env) => collector.flush?.(env, (sent) => pending.push(sent)) },
      sampled({ spans: true, record: (event) => functions.push(plain(event)) }, { rate: 1 }),
    ],
    bindings: {
      MCP_ANALYTICS: { writeDataPoint: (point: unknown) => points.push(JSON.stringify(point)) },
    },
    output: async () => {
      await Promise.all(pending)
      return {
        console: lines.join('\n'),
        'Analytics Engine': points.join('\n'),
        OTLP: exported.join('\n'),
        'a function': functions.join('\n'),
      }
    },
  }
}

/** An event as a function of the author could log it, apart from the thrown value itself. */
function plain(event: TelemetryEvent): string {
  return JSON.stringify({ ...event, ...('error' in event && { error: undefined }) })
}
