/** The default telemetry sink: writes errors and warnings to the console, each as one line of JSON. */
import type { TelemetryEvent } from '../ports/telemetry.ts'

const TOO_MANY_REQUESTS = 429

/**
 * Leniencies, cancellations and refusals are normal operation. A custom sink can record them. Refused
 * sign-ins and grants and throttled requests are written, because they may be attacks, and seals of a
 * newer version, because the Worker may have been rolled back. Of requests above a rate limit, each class
 * writes one line per second, with the number of those that it omits.
 */
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
    case 'grant-refused':
    case 'sealed-by-newer-version':
    case 'sign-in-refused':
      write('warn', event)
      break
    case 'refusal':
      if (event.limitClass !== undefined) writeOverLimit(event.limitClass, event)
      else if (event.status === TOO_MANY_REQUESTS) write('warn', event)
      break
    case 'leniency':
    case 'cancelled':
      break
  }
}

/** A flood of requests must not be a flood of lines. */
const OVER_LIMIT_LINE_MS = 1_000

/** The last line of each class of rate limits in this isolate. */
const overLimitLines = new Map<string, { readonly writtenAt: number; omitted: number }>()

function writeOverLimit(limitClass: string, event: object): void {
  const now = Date.now()
  const last = overLimitLines.get(limitClass)
  if (last !== undefined && Math.abs(now - last.writtenAt) < OVER_LIMIT_LINE_MS) {
    last.omitted += 1
    return
  }
  overLimitLines.set(limitClass, { writtenAt: now, omitted: 0 })
  write('warn', { ...event, omitted: last?.omitted ?? 0 })
}

function write(level: 'error' | 'warn', event: object): void {
  // biome-ignore lint/suspicious/noConsole: the console is where a Worker's log goes
  console[level](JSON.stringify({ source: 'edgeway', ...event }))
}

/** Maximum length of an error in the log, in UTF-16 code units. */
const MAX_ERROR_LENGTH = 8192

function describeError(error: unknown): string {
  const text = textOf(error)
  return text.length > MAX_ERROR_LENGTH ? `${text.slice(0, MAX_ERROR_LENGTH)}…` : text
}

function textOf(error: unknown): string {
  if (error instanceof Error) return error.stack ?? `${error.name}: ${error.message}`
  try {
    return String(error)
  } catch {
    // The conversion of this value to text throws.
    return 'a value without a text form'
  }
}
