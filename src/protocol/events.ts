/**
 * The words of MCP Events that more than one room uses.
 *
 * @see https://github.com/modelcontextprotocol/ext-events
 */
import type { JsonSchema } from './content.ts'
import type { JsonObject } from './json.ts'

/** SEP-3415. */
export const EVENTS_EXTENSION = 'io.modelcontextprotocol/events'

/** How the occurrences of an event type reach a client. */
export type DeliveryMode = 'poll' | 'push' | 'webhook'

export const DELIVERY_MODES: readonly DeliveryMode[] = ['poll', 'push', 'webhook']

/** The description of a type, as `events/list` returns it. */
export interface EventDescriptor {
  readonly name: string
  readonly description: string
  readonly delivery: readonly DeliveryMode[]
  readonly inputSchema: JsonSchema
  readonly payloadSchema: JsonSchema
  readonly _meta?: JsonObject
}

/** One event as it is sent: `EventOccurrence` of the extension. */
export interface EventOccurrence {
  readonly eventId: string
  readonly name: string
  /** ISO 8601, with a time zone. */
  readonly timestamp: string
  readonly data: JsonObject
  /** The position after the event. Absent in results of `events/poll`, which have one for all. */
  readonly cursor?: string | null
}

/** What `events/poll` returns. */
export interface PollResult {
  readonly events: readonly EventOccurrence[]
  readonly cursor: string | null
  readonly truncated: boolean
  readonly hasMore: boolean
  readonly nextPollMs: number
}

/** Longest body of one delivery, in bytes. */
export const MAX_EVENT_BYTES = 262_144

/** Why a callback could not be used, in the words that may leave the server. */
export type CallbackFault =
  | 'connection_refused'
  | 'timeout'
  | 'tls_error'
  | 'http_4xx'
  | 'http_5xx'
  | 'challenge_failed'

/** How the deliveries of a subscription go, as `events/subscribe` reports it. */
export interface DeliveryStatus {
  readonly active: boolean
  /** ISO 8601. */
  readonly lastDeliveryAt?: string
  readonly lastError: CallbackFault | null
  /** ISO 8601. */
  readonly failedSince?: string
  readonly throttled?: boolean
  readonly retryAfterMs?: number
}

/** Which numbers the errors have for a client: those of SEP-3415, or those of the sketch before it. */
export type EventProfile = 'sep' | 'sketch'

/** The errors of the extension. Their numbers depend on what the client has declared. */
export type EventErrorName =
  | 'NotFound'
  | 'Forbidden'
  | 'ResourceExhausted'
  | 'Unsupported'
  | 'CallbackEndpointError'

/** An error of the extension before it has a number. */
export interface EventError {
  readonly name: EventErrorName
  readonly data: JsonObject
}
