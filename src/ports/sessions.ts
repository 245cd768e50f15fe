/**
 * The sessions of the eras `session` and `http-sse`: one object each, named in the sealed session id.
 * A Worker sends it a POST, reads one of its streams, or terminates it.
 */
import type { AuthInfo } from '../protocol/auth-info.ts'
import type { JsonValue } from '../protocol/json.ts'
import type { Message } from '../protocol/json-rpc.ts'
import type { CallerGrant } from './authenticator.ts'
import type { ChangePosition, PublishedChange } from './change-bus.ts'
import type { ChangeKind } from './change-kinds.ts'
import type { RecordedRequest } from './request-event.ts'
import type { SessionClaims } from './session-claims.ts'
import type { SessionLimits } from './session-limits.ts'
import type { Delivery, DeliveryRefusal, TaskFollower, TaskSnapshot } from './tasks.ts'

export type { SessionClaims }

/** `either`: JSON while the answer is quick and no message precedes it, a stream otherwise. */
export type AnswerForm = 'json' | 'sse' | 'either'

/** The messages of one POST. */
export interface SessionPost {
  /** The id as the client sent it. */
  readonly sessionId: string
  readonly claims: SessionClaims
  readonly messages: readonly Message[]
  /** The caller; undefined on a server without authorization. */
  readonly auth: AuthInfo | undefined
  readonly grant: CallerGrant | undefined
  /** Lines of `name: value`, as in HTTP: one text is cheaper to pass to the object than a list. */
  readonly headers: string
  /** Origin of the URL that the client called. */
  readonly origin: string
  /** Present when something reads the requests: the object reports the end of each. */
  readonly recorded?: RecordedRequest
  readonly form: AnswerForm
}

/** A complete JSON-RPC response. */
export interface SessionAnswer {
  readonly body: string | Uint8Array
  /** The scopes that the caller lacks, for a response that reports them. */
  readonly missingScopes?: readonly string[]
}

/** A text or bytes are the body of the only answer, which most POSTs have. */
export type SessionReply =
  | string
  | Uint8Array
  /** The session was terminated. */
  | { readonly kind: 'gone' }
  /** The POST contains no request; `unexpected` counts its responses without an open ask. */
  | { readonly kind: 'accepted'; readonly unexpected: number }
  | { readonly kind: 'answers'; readonly answers: readonly SessionAnswer[] }
  /** The answers are on this stream. */
  | { readonly kind: 'stream'; readonly stream: string }
  | { readonly kind: 'refused'; readonly why: PostRefusal }

/**
 * - `id-in-use`: the request id is in use.
 * - `too-many-requests`: the session is at its limit of concurrent requests.
 * - `no-reader`: the stream of the era `http-sse` is not open, so the answer could not be read.
 */
export type PostRefusal = 'id-in-use' | 'too-many-requests' | 'no-reader'

/**
 * `answer` carries the messages of one POST, `standalone` the changes; `main` is the only stream of the
 * era `http-sse` and carries both.
 */
export type StreamKind = 'answer' | 'standalone' | 'main'

export const STREAM_KINDS: readonly StreamKind[] = ['answer', 'standalone', 'main']

export const MAIN_STREAM = 'main'

export interface StreamReadRequest {
  readonly claims: SessionClaims
  readonly stream: string
  readonly kind: StreamKind
  /** The number of the last event that the reader has; 0 for none. */
  readonly after: number
  /**
   * The client's connection never ended: only the socket to the object did. Such a reader continues
   * without the notifications that were pruned meanwhile. A client that reconnects is refused instead.
   */
  readonly live: boolean
  /** The position at which the reader's changes begin, from its last event id. */
  readonly since: ChangePosition | undefined
  /** The digest of the present lists; undefined where the stream does not tell of changes. */
  readonly lists?: string | undefined
}

/**
 * - `gone`: the session was terminated.
 * - `pruned`: events after the position are no longer stored.
 * - `ahead`: the position is after the last event.
 * - `complete`: the stream has ended, and no event follows the position.
 * - `full`: the session has reached its limit of standalone streams.
 */
export type StreamReadRefusal = 'gone' | 'pruned' | 'ahead' | 'complete' | 'full'

/** One message in the log of a stream, with its number. */
export interface StreamEvent {
  readonly seq: number
  readonly data: string
}

export type StreamItem =
  | ({ readonly kind: 'event' } & StreamEvent)
  | { readonly kind: 'end'; readonly why: StreamReadEnd }

export type Election =
  /** This stream is the primary from now on: forward the changes that pass the filter. */
  | ({ readonly kind: 'primary' } & ChangeFilter)
  /** This stream carries no changes from now on: another stream does, or the reader has ended. */
  | { readonly kind: 'secondary' }

/**
 * - `complete`: the last event was delivered.
 * - `polled`: the client polls for the rest of the stream.
 * - `superseded`: the stream has another reader.
 * - `gone`: the session was terminated.
 * - `lost`: the socket to the object broke.
 * - `behind`: the buffer of unread events is full.
 */
export type StreamReadEnd = 'complete' | 'polled' | 'superseded' | 'gone' | 'lost' | 'behind'

/** The changes that a session asked for. */
export interface ChangeFilter {
  /** The position to continue from; undefined for the current one. */
  readonly since: ChangePosition | undefined
  /** Normalised. */
  readonly uris: readonly string[]
  readonly elicitations: readonly string[]
  /** Increases with each filter, so that the Worker can confirm the one that it applies. */
  readonly version: number
}

/** The Worker's end of a connection that reads one log. */
export interface StreamReader {
  /** Resolves with the next item, in order. `end` is the last one. */
  next(): Promise<StreamItem>
  /**
   * Calls the listener with each election as it arrives, however many events are unread: a client that
   * reads nothing must not delay a filter. An election that has arrived already is passed at once.
   */
  onElection(listener: (election: Election) => void): void
  /** Returns the next item if it is an event that has arrived already. */
  nextEvent(): Extract<StreamItem, { kind: 'event' }> | undefined
  /** The client's connection has accepted this event and all before it. */
  acknowledge(seq: number): void
  /** The Worker applies the filter of this version to every change from now on. */
  filterApplied(version: number): void
  /** The position at which the changes of this stream begin. */
  changesBeginAt(position: ChangePosition): void
  /** Forwards changes in their order. */
  forward(changes: readonly PublishedChange[]): void
  /** Changes of these kinds are no longer available. */
  changesLost(kinds: readonly ChangeKind[], position: ChangePosition): void
  close(): void
}

export interface Sessions {
  readonly limits: SessionLimits
  post(post: SessionPost): Promise<SessionReply>
  readStream(request: StreamReadRequest): Promise<StreamReader | StreamReadRefusal>
  /**
   * Ends the calls of a stream whose caller has lost its access, each with an answer that says so. Returns what
   * the stream has received by that.
   */
  endRevoked(request: Pick<StreamReadRequest, 'claims' | 'stream'>): Promise<readonly StreamEvent[]>
  /** Terminates a session; false when it was terminated before. */
  terminate(session: Pick<SessionClaims, 'name' | 'expiresAt'>): Promise<boolean>
  /** Reports the state of a task, without its result; false when the session was terminated. */
  taskChanged(follower: TaskFollower, task: string, state: TaskSnapshot): Promise<boolean>
  /** Delivers a value to the wait of a call, by the name of its session and the id of its run. */
  deliver(name: string, run: string, key: string, value: JsonValue): Promise<Delivery>
  /** Returns why no value of a key would be kept now; undefined if one would be. */
  deliveryRefusal(name: string, run: string, key: string): Promise<DeliveryRefusal | undefined>
}
