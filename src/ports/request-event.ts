/** The events of requests and of the spans inside them. No event has an argument, a result, a token, an address or an id in clear. */
import type { OAuthErrorCode } from '../protocol/oauth-error-code.ts'
import type { RefusalName } from '../protocol/refusals.ts'
import type { Era } from '../protocol/revisions.ts'
import type { TaskStatus } from '../protocol/tasks.ts'
import type { SpanContext } from '../protocol/trace-context.ts'
import type { CancelReason } from './cancel-reason.ts'

/**
 * - `ok`: a result.
 * - `tool-error`: a tool result with `isError`.
 * - `error`: a JSON-RPC error of the method; `errorCode` has its code.
 * - `input-required`: the handler asks before it answers, and the client repeats the request.
 * - `refused`: rejected before any method ran; `reason` says why.
 * - `cancelled`: ended without the answer of the handler; `reason` says why.
 * - `accepted`: a message that has no answer.
 * - `stream`: a stream was opened. The event is reported at its opening.
 */
export type RequestOutcome =
  | 'ok'
  | 'tool-error'
  | 'error'
  | 'input-required'
  | 'refused'
  | 'cancelled'
  | 'accepted'
  | 'stream'

/**
 * Keys that are equal for requests of the same origin. Each is a hash: of an id that cannot be guessed, or
 * so short that many origins share it.
 */
export interface ConnectionKeys {
  /** 16 bits of a hash of the client's network (IPv4 /24, IPv6 /48), as hexadecimal digits. */
  readonly network: string | undefined
  /** A hash of the OAuth client id; undefined for a caller without one. */
  readonly client: string | undefined
  /** A hash of the session's random name; undefined without a session. */
  readonly session: string | undefined
}

/** What is known of an HTTP request before its body is read. Plain data: it crosses an RPC. */
export interface RequestStart {
  /** Epoch milliseconds. */
  readonly startedAt: number
  /** `_OTHER` for a method that the endpoint does not know. */
  readonly httpMethod: string
  readonly connection: ConnectionKeys
  /** Bytes of the body, when they are known. */
  readonly bytesIn: number | undefined
  /** The span of the request; undefined when nothing receives spans and the client sent no trace. */
  readonly trace: SpanContext | undefined
}

/** A request that an observer follows into the objects that run it. */
export interface ObservedExchange {
  /** A random name of the request. */
  readonly name: string
  /** Until when something reads what is observed, as far as the Worker knew. In epoch milliseconds. */
  readonly until: number
}

/** What an object needs to continue the recording of a request. Plain data: it crosses an RPC, and is stored. */
export interface RecordedRequest extends RequestStart {
  /** Absent: no observer follows the request. */
  readonly exchange?: ObservedExchange | undefined
}

/** One JSON-RPC message at the endpoint, or an HTTP request to it without one. Reported at its end. */
export interface RequestEvent extends RequestStart {
  readonly type: 'request'
  /** How many requests the event stands for, where a sink receives a sample. Absent: 1. */
  readonly weight?: number
  /** Deployed clocks advance only during I/O, so this is the time that was spent waiting for it. */
  readonly durationMs: number
  /** Undefined for `GET`, `DELETE`, a batch, and a method that the protocol and the server do not have. */
  readonly method: string | undefined
  /** The registered name of the tool or prompt, the registered URI or the URI template; never what a client has sent. */
  readonly name: string | undefined
  /** The id of the request, if it is a number or at most 64 characters of `A-Za-z0-9_.:-`. */
  readonly requestId: string | number | undefined
  /** Undefined for a request that was refused before its era was known. */
  readonly era: Era | undefined
  /** The version of the protocol. */
  readonly revision: string | undefined
  /** The name and version that the client gives itself, shortened to 64 characters each. */
  readonly client: { readonly name: string; readonly version: string } | undefined
  readonly transport: 'streamable-http' | 'http-sse'
  readonly outcome: RequestOutcome
  readonly reason: RefusalName | OAuthErrorCode | 'token-missing' | CancelReason | undefined
  /** The code of the JSON-RPC error. */
  readonly errorCode: number | undefined
  /** The reference of the failure that the client received. */
  readonly reference: string | undefined
  /** The HTTP status; undefined for a message whose answer is an event of a stream. */
  readonly status: number | undefined
  /** Bytes of the answer, without headers and the framing of a stream. */
  readonly bytesOut: number | undefined
  /** Whether a Durable Object was called, besides those that authorization caches. */
  readonly usesObject: boolean
}

/** One HTTP request outside of the endpoint, such as those of discovery and authorization. */
export interface HttpRequestEvent extends Omit<RequestStart, 'trace'> {
  readonly type: 'http-request'
  /** As in {@link RequestEvent}. */
  readonly weight?: number
  readonly durationMs: number
  /** The path as the app knows it, such as `/token`; undefined for one that the app does not serve. */
  readonly route: string | undefined
  readonly status: number
}

/** A durable task has another status. */
export interface TaskEvent {
  readonly type: 'task'
  readonly status: TaskStatus
  /** Whether no handler runs: the task waits for an answer, an event or a time. */
  readonly isWaiting: boolean
  /** The tool that was called. */
  readonly name: string | undefined
  /** A hash of the random name of the task. */
  readonly task: string
  /** Milliseconds since the task was created. */
  readonly ageMs: number
  /** Set where an answer resumes it that the model of the client has passed on. */
  readonly via?: 'model'
}

/**
 * - `handler`: one run of a handler. `name` is that of its request.
 * - `step`: `ctx.step`. `name` is its key.
 * - `inner-call`: a call of a tool by the handler of another one, such as the code of `code()`. `name` is the tool.
 * - `object-call`: an RPC to a Durable Object. `name` is the kind of object and the operation: `session.post`.
 */
export type SpanKind = 'handler' | 'step' | 'inner-call' | 'object-call'

/** A part of a request. Reported before the event of its request. */
export interface SpanEvent {
  readonly type: 'span'
  readonly kind: SpanKind
  readonly name: string
  readonly method: string | undefined
  readonly startedAt: number
  readonly durationMs: number
  readonly outcome: 'ok' | 'error' | 'suspended'
  readonly trace: SpanContext
}
