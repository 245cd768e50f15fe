/** The default sink: what somebody should look at goes to the console, as one line of JSON each. */
import type { TelemetryEvent } from '../ports/telemetry.ts'

/** Leniencies and refusals are every-day events; they are left to a sink of one's own. */
export function consoleSink(event: TelemetryEvent): void {
  switch (event.type) {
    case 'handler-error':
    case 'internal-error':
      write('error', { ...event, error: describeError(event.error) })
      break
    case 'bad-result':
    case 'journal-order-changed':
    case 'ask-unsent':
      write('error', event)
      break
    case 'definition-warning':
      write('warn', event)
      break
    case 'leniency':
    case 'refusal':
    case 'cancelled':
      break
  }
}

function write(level: 'error' | 'warn', event: object): void {
  // biome-ignore lint/suspicious/noConsole: the console is where a Worker's log goes
  console[level](JSON.stringify({ source: 'edgeway', ...event }))
}

function describeError(error: unknown): string {
  if (error instanceof Error) return error.stack ?? `${error.name}: ${error.message}`
  try {
    return String(error)
  } catch {
    // A value whose conversion to text throws.
    return 'a value that cannot be shown'
  }
}
