/** The console as a sink: readable lines in development, one line of JSON for each event in production. */
import type { RecordingSink, TelemetryEvent } from '../ports/telemetry.ts'
import { describeError } from './describe-error.ts'

export interface ConsoleSinkOptions {
  /** Whether it writes the events of requests. Default false. */
  readonly requests?: boolean
  /** Whether it writes spans. Default false. */
  readonly spans?: boolean
  /** Default: `text` in `wrangler dev`, and `json` in a deployment, as Workers Logs expects it. */
  readonly format?: 'json' | 'text'
  /**
   * Whether the messages of errors are written. A message may contain what a handler was given. Default: in
   * `wrangler dev` only. The class, the stack frames and the reference of an error are always written.
   */
  readonly errorMessages?: boolean
}

type Level = 'error' | 'warn' | 'info'
type Write = (level: Level, event: TelemetryEvent, more?: object) => void

const TOO_MANY_REQUESTS = 429

/**
 * Leniencies, cancellations, new tasks and refusals are normal operation: the events of requests show them. Refused
 * sign-ins and grants and throttled requests are written, because they may be attacks, and seals of a
 * newer version, because the Worker may have been rolled back. So are refused and suspended subscriptions, and events that
 * were given up: a client shows its person no reason. Of requests above a rate limit each class, of refused
 * subscriptions each reason, and of calls of deprecated tools each tool writes one line per second, with the number of
 * those that it omits.
 */
export function consoleSink(options: ConsoleSinkOptions = {}): RecordingSink {
  const { requests = false, spans = false } = options
  const isDevelopment = builtForDevelopment()
  const { format = isDevelopment ? 'text' : 'json', errorMessages = isDevelopment } = options
  const write: Write = (level, event, more) => {
    const fields = { ...plainEvent(event, errorMessages), ...more }
    const text =
      format === 'json' ? JSON.stringify({ source: 'edgeway', ...fields }) : readableLine(fields)
    // biome-ignore lint/suspicious/noConsole: the console is where a Worker's log goes
    console[level](text)
  }
  const limited = limitedLines(write)
  return { requests, spans, record: (event) => record(event, write, limited) }
}

/** An event without what may contain the data of a caller, unless the author wants it. */
function plainEvent(event: TelemetryEvent, errorMessages: boolean): object {
  switch (event.type) {
    case 'handler-error':
    case 'internal-error':
      return { ...event, error: describeError(event.error, errorMessages) }
    case 'bad-result': {
      // The lines that follow quote the result.
      const [first] = event.message.split('\n', 1)
      return errorMessages ? event : { ...event, message: first }
    }
    default:
      return event
  }
}

function record(
  event: TelemetryEvent,
  write: Write,
  writeLimited: (kind: string, event: TelemetryEvent) => void,
): void {
  switch (event.type) {
    case 'handler-error':
    case 'internal-error':
    case 'bad-result':
    case 'journal-order-changed':
    case 'ask-unsent':
      write('error', event)
      break
    case 'definition-warning':
    case 'grant-refused':
    case 'result-over-client-limit':
    case 'sealed-by-newer-version':
    case 'sign-in-refused':
      write('warn', event)
      break
    case 'refusal':
      if (event.limitClass !== undefined) writeLimited(event.limitClass, event)
      else if (event.status === TOO_MANY_REQUESTS) write('warn', event)
      break
    case 'request':
    case 'http-request':
    case 'span':
    case 'task':
      write(levelOf(event), event)
      break
    case 'event-delivery':
      if (event.outcome === 'abandoned' || event.outcome === 'dropped') write('warn', event)
      break
    case 'event-subscription':
      if (event.outcome === 'suspended') write('warn', event)
      if (event.outcome === 'refused') writeLimited(`subscription ${event.reason}`, event)
      break
    case 'deprecated-call':
      writeLimited(`deprecated ${event.tool}`, event)
      break
    case 'event-emitted':
    case 'leniency':
    case 'cancelled':
    case 'task-created':
      break
  }
}

function levelOf(event: TelemetryEvent): Level {
  return event.type === 'request' && event.outcome === 'error' ? 'warn' : 'info'
}

/** A flood of requests must not be a flood of lines. */
const OVER_LIMIT_LINE_MS = 1_000

/** Remembers the last line of each kind in this isolate. */
function limitedLines(write: Write): (kind: string, event: TelemetryEvent) => void {
  const lines = new Map<string, { readonly writtenAt: number; omitted: number }>()
  return (kind, event) => {
    const now = Date.now()
    const last = lines.get(kind)
    if (last !== undefined && Math.abs(now - last.writtenAt) < OVER_LIMIT_LINE_MS) {
      last.omitted += 1
      return
    }
    lines.set(kind, { writtenAt: now, omitted: 0 })
    write('warn', event, { omitted: last?.omitted ?? 0 })
  }
}

declare const process: { readonly env: { readonly NODE_ENV?: string } }

/** Wrangler replaces the expression: `development` in `wrangler dev`, `production` in a deployment. */
function builtForDevelopment(): boolean {
  try {
    return process.env.NODE_ENV === 'development'
  } catch {
    // Without the replacement a Worker may have no `process`.
    return false
  }
}

type Fields = Readonly<Record<string, unknown>>

/** Fields that the beginning of a line already has, or that a reader at a terminal does not need. */
const OMITTED = ['type', 'startedAt', 'durationMs', 'connection', 'trace', 'error', 'client']

/** `request  tools/call search  ok  12 ms  status=200`, with the text of an error on the lines that follow. */
function readableLine(fields: Fields): string {
  const { type, durationMs, error, client } = fields
  const first = [fields.httpMethod, fields.method ?? fields.route, fields.kind, fields.name]
  const rest = Object.entries(fields)
    .filter(([key, value]) => !OMITTED.includes(key) && value !== undefined && value !== '')
    .filter(([, value]) => !first.includes(value))
    .map(([key, value]) => `${key}=${isPlain(value) ? value : JSON.stringify(value)}`)
  const parts = [
    `[edgeway] ${type}`,
    first.filter((part) => part !== undefined).join(' '),
    durationMs === undefined ? '' : `${durationMs} ms`,
    rest.join(' '),
    isClient(client) ? `client=${JSON.stringify(`${client.name} ${client.version}`)}` : '',
  ]
  const line = parts.filter((part) => part !== '').join('  ')
  return error === undefined ? line : `${line}\n${String(error)}`
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' ? /^[\w./:-]+$/.test(value) : typeof value !== 'object'
}

function isClient(value: unknown): value is { readonly name: string; readonly version: string } {
  return typeof value === 'object' && value !== null && 'name' in value && 'version' in value
}
