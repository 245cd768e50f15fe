/** What the inspector shows of requests, as `GET /inspect/traffic` sends it. Types alone: the page imports them. */
import type { Era } from '../../../../src/protocol/revisions.ts'

/** The beginning of an HTTP request. */
export interface OpenedEntry {
  readonly kind: 'opened'
  /** The HTTP method. */
  readonly http: string
  /** The path; that of the endpoint as its pattern. */
  readonly path: string
  readonly revision: string | null
  readonly era: Era | null
  /** A key of the session, not its id. */
  readonly session: string | null
  /** What the client calls itself. */
  readonly client: { readonly name: string; readonly version: string } | null
  readonly subject: string | null
}

/** A JSON-RPC message. */
export interface MessageEntry {
  readonly kind: 'message'
  readonly from: 'client' | 'server'
  /** Bounded, and without secrets. Null for a message that is too large to be read. */
  readonly message: unknown
  /** Size of the message as JSON, in bytes. */
  readonly bytes: number
  /** Whether `message` is shorter than the message was. */
  readonly cut: boolean
  /** Whether `message` has only the names of members and the JSON types of their values. */
  readonly shape: boolean
  /** Of an event of a stream that can be resumed; a key of it, not the id. */
  readonly eventId: string | null
}

/** A refused request, or a client fault that is served. The page joins the clause behind it by its name. */
export interface DecisionEntry {
  readonly kind: 'refusal' | 'leniency' | 'failure'
  /** A name of `docs/reference/reasons.md`. */
  readonly name: string
  readonly status: number | null
  readonly text: string
}

/** A part of a request. Deployed clocks advance at I/O alone, so the duration is that of the I/O. */
export interface SpanEntry {
  readonly kind: 'span'
  readonly name: string
  /** In epoch milliseconds. */
  readonly startedAt: number
  readonly durationMs: number
}

/** A task has another status. */
export interface TaskEntry {
  readonly kind: 'task'
  /** A key of the task, not its id. */
  readonly task: string
  readonly tool: string
  readonly status: string
}

/** An event was emitted, or something became of a subscription or of a delivery. */
export interface EventEntry {
  readonly kind: 'event'
  /** The event type. */
  readonly event: string
  readonly what: 'emitted' | 'delivery' | 'subscription'
  /** Null for `emitted`. */
  readonly outcome: string | null
  /** The id, which is no secret. */
  readonly subscription: string | null
  readonly reason: string | null
}

/** The end of an HTTP request, and of its stream. */
export interface ClosedEntry {
  readonly kind: 'closed'
  readonly status: number
  readonly durationMs: number
  /** Of the messages that were sent, in bytes. */
  readonly bytes: number
  readonly outcome: string | null
}

export type EntryOf =
  | OpenedEntry
  | MessageEntry
  | DecisionEntry
  | SpanEntry
  | TaskEntry
  | EventEntry
  | ClosedEntry

/** One event of `GET /inspect/traffic`. */
export type TrafficEntry = {
  readonly number: number
  /** In epoch milliseconds. */
  readonly at: number
  /** A random name of the HTTP request; that of the task for its status, and empty for an event, outside of a request. */
  readonly exchange: string
} & EntryOf
