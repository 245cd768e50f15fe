/** One request as the dispatcher receives it: request, client, deployment, services and run. */

import type { Limits } from '../ports/app-limits.ts'
import type { CallerGrant } from '../ports/authenticator.ts'
import type { Services } from '../ports/services.ts'
import type { StateStore } from '../ports/state-store.ts'
import type { CalledTool } from '../ports/tasks.ts'
import type { TelemetrySink } from '../ports/telemetry.ts'
import type { FindUpstreamToken } from '../ports/upstream-tokens.ts'
import type { AuthInfo } from '../protocol/auth-info.ts'
import type { ClientCapabilities } from '../protocol/capabilities.ts'
import type { Progress } from '../protocol/codec/codec.ts'
import type { Implementation } from '../protocol/content.ts'
import type { FactoryParams } from '../protocol/factory-params.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { RequestId } from '../protocol/json-rpc.ts'
import type { LogLevel } from '../protocol/log-level.ts'
import type { ProgressToken } from '../protocol/meta.ts'
import type { Era } from '../protocol/revisions.ts'
import type { CallSession } from './call-session.ts'
import type { Cancellation } from './cancellation.ts'
import type { Extensions } from './extensions.ts'
import type { Journal } from './journal/journal.ts'
import type { Recorder } from './recorder.ts'
import type { Recording } from './recording.ts'
import type { Target } from './target.ts'

export interface Call {
  /** What the request of the client is for, also in a call of a tool by a handler. */
  readonly target: Target
  readonly request: CallRequest
  readonly client: CallClient
  readonly deployment: Deployment
  /** Those of the deployment; they report to the recording of the run, if there is one. */
  readonly services: CallServices
  readonly run: CallRun
}

/** The message, its caller, and the headers of the POST that carried it. */
export interface CallRequest {
  readonly id: RequestId
  readonly method: string
  readonly params: JsonObject | undefined
  /** The caller; undefined on a server without authorization. */
  readonly auth: AuthInfo | undefined
  /** The grant of the caller's token, if it has one. */
  readonly grant: CallerGrant | undefined
  /** What the definition depends on, besides the caller. */
  readonly factoryParams: FactoryParams
  readonly headers: Headers
  /**
   * Computes the origin of the URLs that name this server: the configured one. A function, because few calls need it, and an
   * accessor in an object literal costs an eighth of the dispatch of a call.
   */
  readonly origin: () => string
  /** Undefined when the client did not ask for progress. */
  readonly progressToken: ProgressToken | undefined
}

/** What the client declared, and the era in which it is served. */
export interface CallClient {
  readonly era: Era
  readonly info: Implementation | undefined
  readonly capabilities: ClientCapabilities
  /** Least severe level of the log messages to send; undefined sends none. */
  readonly logLevel: LogLevel | undefined
}

/** Makes the isolates build the definitions of a subject anew. Resolves when this is certain. */
export type ChangeDefinition = (subject: string, env: unknown) => Promise<void>

/** What is the same for every call of a Worker. Built by `deployment.ts`, once per environment. */
export interface Deployment {
  /** The Worker's bindings. */
  readonly env: unknown
  /** The configured name of this server in what it seals. */
  readonly audience: string
  readonly limits: Pick<Limits, 'resultBytes' | 'handlerTimeoutMs'>
  /** Whether faults of clients are refused that can be served. */
  readonly strict: boolean
  readonly services: CallServices
  readonly report: TelemetrySink
  /** What the features of the app add to dispatch. */
  readonly extensions: Extensions
  /** Undefined when nothing reads requests. */
  readonly recorder?: Recorder | undefined
  /** Undefined on a server whose callers have no provider. */
  readonly findUpstreamToken?: FindUpstreamToken | undefined
  /** Undefined where a change of the lists of one subject concerns no definition. */
  readonly changeDefinition?: ChangeDefinition | undefined
}

/** The ports that a call may use; each is undefined when its binding is missing. */
export interface CallServices
  extends Pick<
    Services,
    'sealer' | 'changes' | 'sessions' | 'files' | 'tasks' | 'rateLimits' | 'of'
  > {
  readonly state: () => Pick<StateStore, 'of'> | undefined
}

/** Which forms a call may ask through the model of its client: those that say so, or all but those that refuse it. */
export type ThroughModel = 'each' | 'all'

/** The execution of this call: how it is cancelled, where its messages go, what it resumes from. */
export interface CallRun {
  /** Identifies the run wherever it resumes; undefined for a call that ends with its request. */
  readonly id: string | undefined
  readonly cancellation: Cancellation
  /**
   * Sends a notification before the answer. Resolves when the stream has accepted it, or at once when
   * the call has no stream.
   */
  readonly notify: (method: string, params: JsonObject) => Promise<void>
  readonly waitUntil: (promise: Promise<unknown>) => void
  /** Whether the handler may ask: in the answer (modern era) or by requests on a stream (session eras). */
  readonly canAsk: boolean
  /** Which forms are asked through the model of a client that cannot be asked. Absent: none, as in nearly every call. */
  readonly throughModel?: ThroughModel | undefined
  /** Whether the handler may wait for a time or an event: the run is kept while it waits. */
  readonly canWait: boolean
  /**
   * Whether the handler stays in memory while it waits, because nothing would resume it: the client reads
   * the stream of the call until its end. Always false where `canWait` is true.
   */
  readonly holdsWaits: boolean
  /** Returns the URL that delivers a value to a wait; undefined where `canWait` is false. */
  readonly webhookUrl: ((key: string) => Promise<string>) | undefined
  /** The task of the call; undefined for a call that is not a task. */
  readonly task: CallTask | undefined
  /** The session of the call; undefined for a call without one. */
  readonly session: CallSession | undefined
  /** Whether it continues a call that was counted and reported when it began: in a task, and after an interruption. */
  readonly continues: boolean
  /** Whether this call is the `initialize` that opens a session. */
  readonly opensSession: boolean
  /** The journal of earlier rounds, when a session stores it. */
  readonly journal: Journal | undefined
  /** Undefined when nothing reads the request. */
  readonly recording?: Recording | undefined
}

/** The operations of a call on its task. */
export interface CallTask {
  /** The task id that the client knows. */
  readonly id: string
  /** Shows the progress of the call as the message of the task's status. */
  reportProgress(progress: Progress): void
  /** Records, before its handler calls a tool, that only callers who may call this tool may read the task from now on. */
  addCalledTool(called: CalledTool): void
  /** Tells the request that has started the call that its result is an error of the tool. */
  markToolError(): void
}

/** The JSON text of a result; UTF-8 bytes when the same result serves many requests. */
export type ResultText = string | Uint8Array
