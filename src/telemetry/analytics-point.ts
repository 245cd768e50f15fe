/** Converts an event to a data point. Messages and texts of errors are left out: they may contain anything. */
import type { HttpRequestEvent, RequestEvent, TaskEvent } from '../ports/request-event.ts'
import type { TelemetryEvent } from '../ports/telemetry.ts'
import type { Point } from './analytics-columns.ts'
import { errorClass } from './describe-error.ts'

/** Returns undefined for an event without a data point: spans, and what requests already say. */
export function pointOf(event: TelemetryEvent): Point | undefined {
  switch (event.type) {
    case 'request':
      return pointOfRequest(event)
    case 'http-request':
      return pointOfHttp(event)
    case 'task':
      return pointOfTask(event)
    case 'refusal':
      return point(event.type, { reason: event.name, subject: event.limitClass }, event.status)
    case 'handler-error':
    case 'bad-result': {
      const error = event.type === 'handler-error' ? errorClass(event.error) : undefined
      return point(event.type, { error, subject: event.subject, reference: event.reference })
    }
    case 'internal-error':
      return point(event.type, { error: errorClass(event.error) })
    case 'grant-refused':
    case 'sign-in-refused':
      return point(event.type, { reason: event.reason })
    case 'leniency':
      return point(event.type, { reason: event.name })
    case 'cancelled':
      return point(event.type, { reason: event.reason })
    case 'journal-order-changed':
    case 'ask-unsent':
      return point(event.type, {})
    case 'task-created':
      return point(event.type, { subject: event.subject })
    case 'sealed-by-newer-version':
      return point(event.type, { subject: event.purpose })
    case 'event-emitted':
      return pointOfEvent(event.type, event.event, {})
    case 'event-delivery':
    case 'event-subscription': {
      const { outcome, reason, subscription: subject } = event
      return pointOfEvent(event.type, event.event, { outcome, reason, subject })
    }
    case 'deprecated-call':
      return pointOfEvent(event.type, event.tool, { client_name: event.client, subject: event.use })
    case 'definition-warning':
    case 'span':
      return undefined
  }
}

function point(event: string, blobs: Point['blobs'], status?: number): Point {
  return { index: event, blobs: { event, ...blobs }, doubles: { weight: 1, status } }
}

/** By the name of its type. */
function pointOfEvent(event: string, name: string, blobs: Point['blobs']): Point {
  return { ...point(event, { ...blobs, name }), index: name }
}

function pointOfRequest(event: RequestEvent): Point {
  const { connection, client } = event
  return {
    // Analytics Engine samples each index by itself, so a rare tool is not hidden by a frequent one.
    index: event.name ?? event.method ?? event.httpMethod,
    blobs: {
      event: event.type,
      method: event.method,
      name: event.name,
      outcome: event.outcome,
      reason: event.reason,
      era: event.era,
      revision: event.revision,
      client_name: client?.name,
      client_version: client?.version,
      transport: event.transport,
      http_method: event.httpMethod,
      network_key: connection.network,
      client_key: connection.client,
      session_key: connection.session,
      reference: event.reference,
    },
    doubles: {
      weight: event.weight ?? 1,
      duration_ms: event.durationMs,
      bytes_in: event.bytesIn,
      bytes_out: event.bytesOut,
      status: event.status,
      uses_object: event.usesObject ? 1 : 0,
      error_code: event.errorCode,
    },
  }
}

function pointOfHttp(event: HttpRequestEvent): Point {
  return {
    index: event.route ?? event.type,
    blobs: {
      event: event.type,
      name: event.route,
      http_method: event.httpMethod,
      network_key: event.connection.network,
    },
    doubles: {
      weight: event.weight ?? 1,
      duration_ms: event.durationMs,
      bytes_in: event.bytesIn,
      status: event.status,
    },
  }
}

function pointOfTask({ type, status, isWaiting, name, task, ageMs }: TaskEvent): Point {
  const reason = isWaiting ? 'waiting' : undefined
  return {
    index: task,
    blobs: { event: type, name, outcome: status, reason, subject: task },
    doubles: { weight: 1, duration_ms: ageMs },
  }
}
