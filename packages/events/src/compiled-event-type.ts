/** An event type as the feature `events()` compiles it, for the objects that deliver its occurrences. */
import type { MaybePromise } from '../../../src/platform/maybe-promise.ts'
import type { Result } from '../../../src/platform/result.ts'
import type { AuthInfo } from '../../../src/protocol/auth-info.ts'
import type { DeliveryMode } from '../../../src/protocol/events.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'

/** For whom and for what the author's functions decide. */
export interface EventAccess {
  /** Undefined for an anonymous caller, and for one without authorization. */
  readonly auth: AuthInfo | undefined
  readonly arguments: JsonObject
  readonly env: unknown
}

/** `subscribe`: a poll, a stream or a subscription begins, or is refreshed. `deliver`: before each delivery. */
export type AuthorizePhase = 'subscribe' | 'deliver'

export interface CompiledEventType {
  readonly name: string
  readonly delivery: readonly DeliveryMode[]
  /** Milliseconds that an occurrence can be replayed. 0: the type has no cursors. */
  readonly historyMs: number
  /** Whether each occurrence is for one person, whose log is an object of its own. */
  readonly isPersonal: boolean
  readonly scopes: readonly string[]
  readonly visible: ((auth: AuthInfo | undefined) => boolean) | undefined
  /** Returns the reason for arguments that the input schema refuses. The arguments are not transformed. */
  checkArguments(args: JsonObject): MaybePromise<string | undefined>
  /** Returns the data that the payload schema accepts, or the reason. */
  readData(data: unknown): MaybePromise<Result<JsonObject, string>>
  /** Whether stored data fit the payload schema, which may have changed since. */
  acceptsData(data: JsonObject): boolean
  /** Rejects with what the author's function throws. */
  authorize(access: EventAccess, phase: AuthorizePhase): MaybePromise<boolean>
  /** Whether a subscriber may have an occurrence that concerns it. Absent: always. */
  readonly isFor?: (data: JsonObject, access: EventAccess) => boolean
  matches(args: JsonObject, data: JsonObject): MaybePromise<boolean>
  /** The data for one subscriber. */
  transform(data: JsonObject, access: EventAccess): MaybePromise<JsonObject>
  /** Undefined for a type that needs no upstream listener. */
  readonly upstream: UpstreamListener | undefined
}

/** What the author's listener of an upstream is started and stopped for. */
export interface UpstreamLease {
  readonly arguments: JsonObject
  /** The subject of a personal type; undefined for any other. */
  readonly subject: string | undefined
  readonly env: unknown
}

/** Each function must be idempotent: after a restart `start` is called again for a listener that runs. */
export interface UpstreamListener {
  start(lease: UpstreamLease): MaybePromise<void>
  stop(lease: UpstreamLease): MaybePromise<void>
  /** Milliseconds that the listener runs after the last poll. */
  readonly pollLeaseMs: number
}
