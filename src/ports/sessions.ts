/**
 * The sessions of the eras before the modern one: one object each, reached through what the sealed
 * session id says. The Worker talks to it in three ways: a POST, a tail of one of its streams, an end.
 */
import type { AuthInfo } from '../protocol/auth-info.ts'
import type { ClientCapabilities } from '../protocol/capabilities.ts'
import type { Implementation } from '../protocol/content.ts'
import type { Message } from '../protocol/json-rpc.ts'
import type { Change, ChangeKind, ChangePosition } from './change-bus.ts'

/** What a session id says, sealed into it: there is nothing to store, and nothing to lose. */
export interface SessionClaims {
  /** Random, and the name of the session's object. */
  readonly name: string
  readonly transport: 'streamable-http' | 'http-sse'
  /** The negotiated revision. The older transport negotiates after the id was given: undefined there. */
  readonly revision: string | undefined
  readonly clientInfo: Implementation | undefined
  readonly clientCapabilities: ClientCapabilities
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

/** `either` is JSON while the answer is quick and silent, and a stream from then on. */
export type AnswerForm = 'json' | 'sse' | 'either'

/** The messages of one POST. */
export interface SessionPost {
  /** The id as the client sent it. */
  readonly sessionId: string
  readonly claims: SessionClaims
  readonly messages: readonly Message[]
  readonly auth: AuthInfo | undefined
  /** `name: value` in lines, as HTTP has them: one text crosses to an object sooner than a list. */
  readonly headers: string
  readonly form: AnswerForm
}

/** A whole JSON-RPC response. */
export interface SessionAnswer {
  readonly body: string | Uint8Array
  /** The scopes that the caller lacks, where that is what the response says. */
  readonly missingScopes?: readonly string[]
}

/** A bare text or bytes are the one answer that most POSTs have. */
export type SessionReply =
  | string
  | Uint8Array
  /** The session was ended. */
  | { readonly kind: 'gone' }
  /** Nothing to answer; `unexpected` counts responses to nothing that is being asked. */
  | { readonly kind: 'accepted'; readonly unexpected: number }
  | { readonly kind: 'answers'; readonly answers: readonly SessionAnswer[] }
  /** The answers come on this stream. */
  | { readonly kind: 'stream'; readonly stream: string }
  /** A request id that is in use, or more requests at once than a session may have. */
  | { readonly kind: 'refused'; readonly why: 'id-in-use' | 'too-many-requests' }

/**
 * `answer` carries what belongs to one POST, `standalone` what belongs to none; `main` is the one
 * stream of the older transport, and carries both.
 */
export type StreamKind = 'answer' | 'standalone' | 'main'

export const MAIN_STREAM = 'main'

export interface StreamReadRequest {
  readonly claims: SessionClaims
  readonly stream: string
  readonly kind: StreamKind
  /** The last event that the reader has, 0 for none. */
  readonly after: number
  /**
   * The reader has been there all along, and loses notifications rather than its answer where it was
   * too slow. One that comes back is told that something is missing.
   */
  readonly live: boolean
  /** Where the reader's news began, as its last event id says. */
  readonly since: ChangePosition | undefined
}

/** `gone`: the session was ended; `pruned`: events after the position are lost; `ahead`: there never was such an event. */
export type StreamReadRefusal = 'gone' | 'pruned' | 'ahead'

export type StreamItem =
  | { readonly kind: 'event'; readonly seq: number; readonly data: string }
  /** From now on this line carries the session's news: forward what it is interested in. */
  | ({ readonly kind: 'primary' } & ChangeFilter)
  /** From now on another line does. */
  | { readonly kind: 'secondary' }
  | { readonly kind: 'end'; readonly why: StreamReadEnd }

/**
 * `complete`: the last event was delivered; `polled`: the rest is to be fetched later; `superseded`:
 * the stream has another reader; `gone`: the session was ended; `lost`: the line broke; `behind`: more
 * is waiting than the line holds.
 */
export type StreamReadEnd = 'complete' | 'polled' | 'superseded' | 'gone' | 'lost' | 'behind'

export interface ChangeFilter {
  /** Where the news goes on; undefined begins now, or goes on where it is. */
  readonly since: ChangePosition | undefined
  /** Normalised. */
  readonly uris: readonly string[]
  readonly elicitations: readonly string[]
  /** Counts what was said of it, so that the other end can say what it goes by. */
  readonly version: number
}

/** A tail of one stream. */
export interface StreamReader {
  /** The next item, in order. After `end` there is none. */
  next(): Promise<StreamItem>
  /** The next item, where it is an event that is there already; undefined otherwise. */
  nextEvent(): Extract<StreamItem, { kind: 'event' }> | undefined
  /** The reader has this event and all before it: whoever produces more may go on. */
  acknowledge(seq: number): void
  /** The interests of this version are gone by. */
  filterApplied(version: number): void
  /** Where this line's news begins. */
  changesBeginAt(position: ChangePosition): void
  forward(change: Change, position: ChangePosition): void
  /** News was missed: whatever is of these kinds may have changed. */
  changesLost(kinds: readonly ChangeKind[], position: ChangePosition): void
  close(): void
}

export interface Sessions {
  post(post: SessionPost): Promise<SessionReply>
  readStream(request: StreamReadRequest): Promise<StreamReader | StreamReadRefusal>
  /** Ends a session; false where it had ended before. */
  terminate(facts: SessionClaims): Promise<boolean>
}

/** Bounds of one session. Durations in milliseconds, sizes in UTF-16 code units of JSON text. */
export interface SessionLimits {
  /** How long a session id is good for, idle or not. Default 30 days; a seal lives 90 at most. */
  readonly sessionLifetimeMs: number
  /** Events kept of one stream; what must not be lost (questions, answers) is kept beside them. Default 1000. */
  readonly logEvents: number
  /** The same in size. Default 1 Mi. */
  readonly logBytes: number
  /** All finished logs of a session together; the oldest go first. Default 32 Mi. */
  readonly sessionLogBytes: number
  /** How long a log is kept after its last event, for a client that was away. Default 5 minutes. */
  readonly logRetentionMs: number
  /** What a client is told to wait before it comes back to a stream. Default 1 s. */
  readonly retryMs: number
  /** Requests that run or wait at the same time. Default 64. */
  readonly requestsInFlight: number
  /** Standalone streams at the same time; one more ends the oldest. Default 8. */
  readonly streamsPerSession: number
  /** Resources subscribed to. Default 1000. */
  readonly subscriptionsPerSession: number
}
