/** What features add to the transport. Types alone: the transport imports no feature. */
import type { Target } from '../dispatch/target.ts'
import type { Sealer } from '../ports/sealer.ts'
import type { SessionClaims } from '../ports/sessions.ts'
import type { TaskSnapshot } from '../ports/tasks.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Message, RequestMessage } from '../protocol/json-rpc.ts'
import type { Revision } from '../protocol/revisions.ts'
import type { Handler, Handlers } from './endpoint.ts'
import type { EndpointPaths, PathPattern } from './endpoint-paths.ts'
import type { DefinedExchange, Exchange } from './exchange.ts'
import type { RequestLimits } from './rate-limits.ts'

/** A modern method whose answer is a stream of its own. Undefined where it is not served. */
export type StreamMethod = (
  exchange: DefinedExchange,
  target: Target,
  message: RequestMessage,
) => Promise<Response> | undefined

/** Opens session ids and caches the result for this isolate. */
export interface SessionIds {
  /** Returns undefined for an id that is expired or was not sealed for this principal. */
  open(sealer: Sealer, id: string, context: string): Promise<SessionClaims | undefined>
}

export interface ListenedTasks {
  /** Maps the names of the task objects to the ids that the client sent. */
  readonly names: ReadonlyMap<string, string>
  /**
   * The present state of a task, as `tasks/get` returns it; undefined for a state that was sent, for a
   * task that is deleted, and for one that the caller may not access any more.
   */
  stateOf(name: string): Promise<JsonObject | undefined>
}

/**
 * Finds the tasks that the filter of a stream of changes names.
 *
 * @param until when the stream ends, in epoch milliseconds
 */
export type FindListenedTasks = (
  exchange: DefinedExchange,
  message: RequestMessage,
  taskIds: readonly string[] | undefined,
  mayAccess: (task: TaskSnapshot) => boolean,
  until: number,
) => Promise<ListenedTasks | undefined>

/** Serves sessions at the endpoint. Each member throws a `Refusal` for what it cannot serve. */
export interface SessionTransport {
  readonly ids: SessionIds
  readonly GET: Handler
  readonly DELETE: Handler
  /** Returns the id of a new session; undefined where sessions are not bound. */
  open(exchange: DefinedExchange, message: RequestMessage): Promise<string | undefined>
  serve(exchange: Exchange, sessionId: string, message: Message): Promise<Response>
  /** @param sessionId undefined for a batch without a session, of a revision that its header names */
  serveBatch(
    exchange: Exchange,
    sessionId: string | undefined,
    revision: Revision | undefined,
    values: readonly unknown[],
  ): Promise<Response>
}

/** Paths beside those of the endpoint. */
export interface TransportPaths {
  /** Whether they are served in an environment. */
  isServed(env: unknown): boolean
  /** The path that is an alias of the first resource. */
  readonly stream: PathPattern
  readonly messages: PathPattern
  readonly endpoints: EndpointPaths
  /** The handlers of the endpoint at its path, if that is one of these paths too. */
  handlersAt(pattern: PathPattern): Handlers | undefined
}

export interface TransportParts {
  readonly streams?: Readonly<Record<string, StreamMethod>>
  readonly sessions?: SessionTransport
  readonly listenedTasks?: FindListenedTasks
  /** Writes what the URL of a POST says of its calls into them. @throws {Refusal} for a URL that says it wrongly */
  readonly adoptQuery?: (url: string, body: unknown) => void
  /** @throws {TypeError} for a malformed path */
  readonly paths?: (
    endpoint: readonly PathPattern[],
    handlers: Handlers,
  ) => TransportPaths | undefined
  /** Whether the modern revision is refused, so that its clients open a session. */
  readonly sessionsOnly?: boolean
  readonly limits?: RequestLimits
  /** A value that no param of a path may have, because the feature serves a path that ends with it. */
  readonly reservedValue?: string
}

/** The parts of all features as the transport uses them. */
export interface TransportExtensions {
  readonly streams: Readonly<Record<string, StreamMethod>>
  readonly sessions: SessionTransport | undefined
  /** Undefined on a server without tasks, which ignores the member as any that it does not know. */
  readonly listenedTasks: FindListenedTasks | undefined
  readonly adoptQuery: TransportParts['adoptQuery']
  readonly sessionsOnly: boolean
  /** The features that bring methods which the app lacks, by method. */
  readonly absentMethods: Readonly<Record<string, string>>
  /** Undefined in an app without rate limits. */
  readonly limits: RequestLimits | undefined
}
