/**
 * Durable tasks: one object each, named in the sealed task id. A Worker or a session object starts a
 * task, reads its state, answers its asks, delivers its events and cancels it.
 */

import type { AuthInfo } from '../protocol/auth-info.ts'
import type { ClientCapabilities } from '../protocol/capabilities.ts'
import type { Progress } from '../protocol/codec/codec.ts'
import type { Implementation } from '../protocol/content.ts'
import type { FactoryParams } from '../protocol/factory-params.ts'
import type { JsonObject, JsonValue } from '../protocol/json.ts'
import type { LogLevel } from '../protocol/log-level.ts'
import type { ProgressToken } from '../protocol/meta.ts'
import type { Era } from '../protocol/revisions.ts'
import type { TaskDetail, TaskStatus } from '../protocol/tasks.ts'
import type { Caller } from './authenticator.ts'
import type { ObservedExchange } from './request-event.ts'
import type { SessionClaims } from './session-claims.ts'
import type { TaskLimits } from './task-limits.ts'

/** The request that becomes a task, with everything that its handler may read. Plain data: it crosses an RPC. */
export interface TaskRequest {
  /** The random name of the task object. */
  readonly name: string
  readonly id: string | number
  readonly method: string
  readonly params: JsonObject | undefined
  readonly revision: string
  readonly era: Era
  readonly clientInfo: Implementation | undefined
  readonly capabilities: ClientCapabilities
  readonly factoryParams: FactoryParams
  /** Lines of `name: value`; those that may contain a credential are not stored. */
  readonly headers: string
  /** The task id as the client knows it. */
  readonly taskId: string
  /** Origin of the URL that the client called, for the URLs of webhooks. */
  readonly origin: string
  /**
   * Set for the call of a client without tasks, which a request holds: the least severe level of the log messages that the
   * request sends, and which forms it asks through the model. Absent for a client with tasks.
   */
  readonly held?: {
    readonly logLevel?: LogLevel | undefined
    readonly throughModel?: 'each' | 'all' | undefined
  }
  /** Absent: no observer follows the request. */
  readonly exchange?: ObservedExchange | undefined
}

/** A tool as it was when it was called. Plain data. */
export interface CalledTool {
  /** Its registered name. */
  readonly tool: string
  /** The scopes that it required. */
  readonly scopes: readonly string[]
}

/** What a caller needs to see a task: the same as for a call of its tool, and of each one that this has called. Plain data. */
export interface TaskAccess extends CalledTool {
  /** The tools that the handler has called. Absent: none. */
  readonly calls?: readonly CalledTool[]
  /** Whether its client has no tasks, so that it fetches the result by the handle. */
  readonly isHeld?: true
}

/** Durations are in milliseconds. */
export interface TaskTerms {
  /** How long the call may answer by itself before it becomes a task. 0: it is a task at once. */
  readonly inlineMs: number
  /** Whether a call that answers within `inlineMs` is answered without a task. */
  readonly mayAnswerInline: boolean
  /** Whether asks within `inlineMs` are returned instead of creating the task. */
  readonly asksBefore: boolean
  readonly ttlMs: number
  /** How often the client asks for the state while a handler runs. */
  readonly pollIntervalMs: number
  /**
   * Timeout of a call that is served without a task, because its principal has as many as the limit. Absent:
   * such a call is refused.
   */
  readonly withoutTaskMs?: number
  /** The longest time between two requests for the state while the task waits. */
  readonly maxPollIntervalMs: number
}

export interface TaskStart {
  readonly request: TaskRequest
  readonly terms: TaskTerms
  readonly access: TaskAccess
  /** Undefined on a server without authorization. */
  readonly caller: Caller | undefined
  /** The network of the client, by which the tasks of anonymous callers are counted. */
  readonly network: string
  /** The session in which the task is created; undefined for a task of another era. */
  readonly follower?: TaskFollower | undefined
  /** The journal of earlier rounds as JSON text, for a call that was asked before it became a task. */
  readonly journal: string | undefined
}

/** A session that receives the changes of a task. */
export interface TaskFollower {
  readonly claims: SessionClaims
  /** The subject of the caller; undefined for an anonymous one. */
  readonly subject: string | undefined
}

/** A task as the Worker starts it: the port adds the server. */
export interface NewTask extends Omit<TaskStart, 'request'> {
  readonly request: Omit<TaskRequest, 'server'>
}

/** How a call that may become a task began. */
export type TaskBeginning =
  | { readonly kind: 'task'; readonly task: TaskSnapshot }
  /** `text` is the JSON text of the result. */
  | {
      readonly kind: 'result'
      readonly text: string | Uint8Array
      readonly isToolError: boolean
    }
  | { readonly kind: 'error'; readonly error: TaskError }
  /**
   * The principal has `limit` tasks, and the terms have `withoutTaskMs`: the Worker serves the call. `state` is
   * the journal of a handler that has begun and waits, as JSON text.
   */
  | { readonly kind: 'full'; readonly limit: number; readonly state?: string }
  /** The handler asked before the call became a task: the requests by key, and the journal as JSON text. */
  | {
      readonly kind: 'asks'
      readonly requests: Readonly<Record<string, JsonObject>>
      readonly state: string
      readonly singleUse: boolean
    }

export type TaskError = NonNullable<TaskDetail['error']> & {
  /** The scopes that the caller lacks, when that is the error. */
  readonly missingScopes?: readonly string[]
}

/** What the request of a task has reported of its progress, for its progress token. */
export interface TaskProgress extends Progress {
  readonly token: ProgressToken
}

/** What the handler of a held call has reported: progress, or the params of a log message. */
export type TaskMessage =
  | { readonly kind: 'progress'; readonly progress: Progress }
  | { readonly kind: 'log'; readonly params: JsonObject }

/** The state of a task at one moment. Times are epoch milliseconds. */
export interface TaskSnapshot extends TaskDetail {
  readonly error?: TaskError
  readonly taskId: string
  readonly status: TaskStatus
  readonly statusMessage: string | undefined
  readonly createdAt: number
  readonly lastUpdatedAt: number
  readonly ttlMs: number
  readonly pollIntervalMs: number
  /** The latest progress. Only in what a session receives, and only once. */
  readonly progress?: TaskProgress
  /** The keys of the asks that stay open while the handler runs for another reason. They are no `inputRequests` meanwhile. */
  readonly openAsks?: readonly string[]
  /** What the handler has reported since it was taken last. Only in what `wait` returns to a request that takes it. */
  readonly messages?: readonly TaskMessage[]
  /** Increases with each change of the state. */
  readonly version: number
  /** When the result was first returned to a client without tasks. Only in a brief state. */
  readonly returnedAt?: number
  readonly access: TaskAccess
}

export interface CancelledTask extends TaskSnapshot {
  /** The task was over before, also if it was cancelled. */
  readonly wasOver?: true
}

/**
 * - `kept`: the value was stored; the task continues with it, now or when it waits for it.
 * - `over`: the task has ended.
 * - `delivered`: the key has a value already.
 * - `late`: the wait for it has timed out.
 * - `misfit`: the value does not fit the schema of the wait; `detail` says why.
 * - `full`: too many values wait to be used.
 * - `too-large`: the value has more than `limit` UTF-16 code units of JSON text.
 * - `unknown`: there is no such task.
 */
export type Delivery =
  | { readonly kind: 'kept' | DeliveryRefusal }
  | { readonly kind: 'misfit'; readonly detail: string }
  | { readonly kind: 'too-large'; readonly limit: number }

/** Why no value of a key would be kept. */
export type DeliveryRefusal = 'over' | 'delivered' | 'late' | 'full' | 'unknown'
/** An event that a call waits for which is not a task. Plain data: it crosses an RPC. */
export interface InboxEvent {
  readonly key: string
  readonly wait: {
    /** Epoch milliseconds; absent: as long as the inbox. */
    readonly until?: number
    /** Absent: any JSON value. */
    readonly schema?: JsonObject
  }
  /** The digest of a value that was received and does not fit: the inbox drops it, and no other one. */
  readonly misfit?: string
  /** When the inbox is deleted, in epoch milliseconds. */
  readonly expiresAt: number
}

/** Whose calls an inbox belongs to. */
export interface InboxHolder {
  readonly auth: AuthInfo | undefined
  /** The network of the client, by which the inboxes of anonymous callers are counted. */
  readonly network: string
}

/** How a wait for an event ends: with what was delivered, as the journal keeps it, or without. */
export type ReceivedEvent =
  | { readonly kind: 'fresh'; readonly value: JsonValue; readonly digest: string }
  | { readonly kind: 'refusal'; readonly value: string }

/** A task in the list of its subject: newest first. */
export interface TaskPosition {
  readonly name: string
  /** Epoch milliseconds. */
  readonly createdAt: number
}

export interface Tasks {
  readonly limits: TaskLimits
  start(start: NewTask): Promise<TaskBeginning>
  /**
   * Undefined when there is no such task, or not any more.
   *
   * @param isBrief for a list of many: without result and error
   */
  read(name: string, isBrief?: boolean): Promise<TaskSnapshot | undefined>
  /**
   * Resolves with the next snapshot after `version`, or with the present one after `timeoutMs`.
   * Undefined when there is no such task.
   *
   * @param takesMessages whether what the handler reports ends the wait too, and is taken. Each message is taken once
   */
  wait(
    name: string,
    version: number,
    timeoutMs: number,
    takesMessages?: boolean,
  ): Promise<TaskSnapshot | undefined>
  /**
   * Records that the result of a task was returned, and since when it was, both in epoch milliseconds. Undefined for a task
   * that has not ended, and when there is none.
   */
  markReturned(name: string, at: number): Promise<number | undefined>
  /** Answers open asks by key. Unknown keys are ignored. False when there is no such task. */
  update(
    name: string,
    responses: JsonObject,
    refusals?: Readonly<Record<string, string>>,
  ): Promise<boolean>
  /**
   * Notifies a session of every change from now on, and returns the present state; undefined when there is
   * no such task.
   */
  follow(name: string, follower: TaskFollower): Promise<TaskSnapshot | undefined>
  /**
   * Cancels a task and returns its state afterwards; undefined when there is no such task. A call that has not become
   * a task is cancelled too.
   */
  cancel(name: string): Promise<CancelledTask | undefined>
  /**
   * Cancels a task of a subject, deletes it with its result and removes it from the list. False while its job
   * has to be cancelled first, which is tried for nine minutes.
   */
  erase(subject: string, name: string): Promise<boolean>
  deliver(name: string, key: string, value: JsonValue): Promise<Delivery>
  /** Returns why no value of a key would be kept now; undefined if one would be. */
  deliveryRefusal(name: string, key: string): Promise<DeliveryRefusal | undefined>
  /**
   * Counts the inbox of a call, before it is opened and again in each round. False when its principal, or without
   * one its network, has as many inboxes of calls that have not ended as tasks at most.
   *
   * @param expiresAt epoch milliseconds
   */
  enterInbox(name: string, holder: InboxHolder, expiresAt: number): Promise<boolean>
  /**
   * Opens the inbox of a call that is not a task, or extends its lifetime: it keeps the events that are
   * delivered under its name.
   *
   * @param expiresAt epoch milliseconds
   */
  openInbox(name: string, expiresAt: number): Promise<void>
  /** Opens the inbox and waits for an event. Undefined when none has come within `timeoutMs`. */
  receive(name: string, event: InboxEvent, timeoutMs: number): Promise<ReceivedEvent | undefined>
  /** Ends the call of an inbox: it accepts no event any more, and is not counted as open. */
  closeInbox(name: string, holder: InboxHolder): Promise<void>
  /**
   * The tasks of a subject, newest first. Some may have been deleted since.
   *
   * @param principal digest of a principal, whose tasks alone are wanted; undefined for all of the subject
   * @param after the last task of the page before
   */
  list(
    subject: string,
    principal: string | undefined,
    after: TaskPosition | undefined,
    limit: number,
  ): Promise<readonly TaskPosition[]>
  /** Publishes the changes of a task to listeners until a time, in epoch milliseconds. */
  watch(name: string, until: number): Promise<TaskSnapshot | undefined>
}
