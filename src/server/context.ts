/** The context of a handler. `../dispatch/handler-context.ts` implements it. */

import type { GrantProps } from '../protocol/auth-info.ts'
import type { ClientCapabilities } from '../protocol/capabilities.ts'
import type { Implementation } from '../protocol/content.ts'
import type { LogLevel } from '../protocol/log-level.ts'
import type { TraceContext } from '../protocol/meta.ts'
import type { Era } from '../protocol/revisions.ts'
import type {
  CreateMessageRequest,
  CreateMessageResult,
  ElicitContent,
  ElicitForm,
  ElicitResult,
  ElicitUrl,
  ElicitUrlResult,
  Root,
} from './ask.ts'
import type { ConnectedAccount, ConnectOptions } from './connection.ts'
import type { DefaultEnv } from './default-env.ts'
import type { Emit } from './event.ts'
import type {
  FileData,
  FileOptions,
  PageOptions,
  StoredFile,
  TextPage,
  UploadRequest,
  UploadResult,
} from './file.ts'
import type { InferArguments, Schema } from './schema/standard-schema.ts'
import type { StateContext } from './state.ts'
import type { StepContext, StepOptions } from './step.ts'
import type { CallerAuth } from './upstream.ts'

/** The kinds of request that a handler can make to the client. */
export type Askable = 'elicit' | 'elicit-url' | 'sample' | 'sample-tools' | 'roots'

/** The client program. Its name and version are self-reported. */
export interface ClientContext {
  readonly info: Implementation | undefined
  readonly capabilities: ClientCapabilities
  /** The protocol revision of this request, such as `2025-11-25`. */
  readonly protocolVersion: string
  readonly era: Era
  /** Whether this request can ask: the client declared the capability, and the connection can carry the question. */
  can(kind: Askable): boolean
  /** Whether the client declared that it shows views (MCP Apps). */
  readonly showsViews: boolean
}

export interface SessionContext {
  /** The id that the client sends: `Mcp-Session-Id`, or `sessionId` in the transport of 2024-11-05. */
  readonly id: string
  /**
   * Sends a `ping` request to the client and resolves when the client answers. Suspends the handler
   * like any ask. Rejects with a `ToolError` if the client answers with an error or not in time.
   *
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping
   */
  readonly ping: () => Promise<void>
}

export interface RequestContext {
  readonly id: string | number
  readonly method: string
  /** The HTTP headers of the POST that carried the request, without credentials: `ctx.auth` is the caller. */
  readonly headers: Headers
  /** The `_meta` of the request, as sent. */
  readonly meta: { readonly [key: string]: unknown } | undefined
  /** W3C trace context from `_meta`; undefined if absent or malformed. */
  readonly trace: TraceContext | undefined
}

/**
 * Publishes changes to listeners. Each method resolves when the hub has persisted the change, and
 * rejects with a `TypeError` if the hub is not bound or an argument is malformed.
 *
 * A change of a list for one subject also makes a factory build the definition of this subject anew: at once
 * in the isolates that hold its streams, elsewhere at the next check of its grant. That is persisted when the
 * method resolves. On a server with a factory it needs `embedded()`, `verifier()` or
 * `fromContext()`, and rejects with a `TypeError` otherwise.
 */
export interface Notify {
  toolsChanged(to?: NotifyScope): Promise<void>
  promptsChanged(to?: NotifyScope): Promise<void>
  resourcesChanged(to?: NotifyScope): Promise<void>
  /** The event types of `events()` that a caller sees, or their descriptions. For clients of 2026-07-28. */
  eventsChanged(to?: NotifyScope): Promise<void>
  /** Listeners receive it only for resources that they subscribed to and may read. */
  resourceUpdated(uri: string, to?: NotifyScope): Promise<void>
  /**
   * Reports that a person has finished at the URL of a URL-mode elicitation. Sent to clients of revision
   * 2025-11-25, on the GET stream of their session.
   *
   * @param elicitationId 1 to 256 visible ASCII characters
   */
  elicitationComplete(elicitationId: string, to?: NotifyScope): Promise<void>
}

/** The listeners that receive a change: all, or those of one subject. */
export interface NotifyScope {
  /** `ctx.auth.subject` of the listeners, 1 to 8,192 characters. Without one that is connected, nothing happens. */
  readonly subject?: string | undefined
}

export interface TaskContext {
  /** The id that the client knows. */
  readonly id: string
}

export interface WaitOptions<S extends Schema | undefined> {
  /** The schema of the value. A delivery that does not fit it is refused. Default: any JSON value. */
  readonly schema?: S
  /** How long to wait, in milliseconds. Default: as long as the task lives. */
  readonly timeoutMs?: number
}

/** What `asks()` brings to the context. */
export interface AskMembers {
  /**
   * Asks the person at the client to fill in a form or to open a URL, and resolves with what they did.
   *
   * No memory and no connection is held while the person decides: the handler stops here and **runs
   * again from the top** when the answer arrives. The journal returns the answers and step results that
   * the handler already has. Work that must happen once belongs in {@link AskMembers.step}. Asks made
   * together (`Promise.all`) are sent together. If the client did not declare the capability, the
   * request ends with the error that its revision defines. Allowed in tools, prompts and resources.
   *
   * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
   */
  elicit<S extends Schema>(ask: ElicitForm<S>): Promise<ElicitResult<ElicitContent<S>>>
  elicit(ask: ElicitUrl): Promise<ElicitUrlResult>

  /** Asks the client to sample its model (`sampling/createMessage`). Suspends like {@link AskMembers.elicit}. */
  sample(request: CreateMessageRequest): Promise<CreateMessageResult>

  /** Asks the client for its roots. Suspends like {@link AskMembers.elicit}. */
  listRoots(ask?: { readonly key?: string }): Promise<readonly Root[]>

  /**
   * Runs work once, however often the handler runs again around its asks, and returns its result as
   * JSON represents it. In the modern era the result travels in the state of the next question: a client
   * that sends the same answers twice runs the steps after that question twice, unless the tool is
   * `singleUse`. A step that throws is not recorded.
   *
   * @param key identifies the step: 1 to 64 of `A-Z a-z 0-9 _ - .`, unique in the handler
   * @throws {TypeError} for a malformed or repeated key, and for a result that is not JSON
   */
  step<T>(key: string, run: (step: StepContext) => T | Promise<T>): Promise<T>
  step<T>(key: string, options: StepOptions, run: (step: StepContext) => T | Promise<T>): Promise<T>

  /**
   * Waits for a time. In a task and in a session nothing stays in memory: the handler stops here and runs
   * again from the top, like at an ask. Any other call of 2026-07-28 waits on its stream, at most until
   * the timeout of its handler. A call of the earlier revisions without a session ends with a tool error.
   *
   * @param key identifies the wait, like that of a step
   * @param milliseconds 0 or more; a task is deleted at the end of its lifetime all the same
   * @throws {TypeError} for a malformed or repeated key, and a malformed time
   */
  sleep(key: string, milliseconds: number): Promise<void>

  /**
   * Waits until `edgeway.tasks(env).deliver(taskId, key, value)` is called, or the URL of
   * {@link AskMembers.webhook} receives the value. A call that is not a task has no task id, so it is reached by
   * the URL alone. A value that is delivered earlier is kept. Suspends like {@link AskMembers.sleep}.
   *
   * Without `timeoutMs`, a task waits as long as it lives, and any other call for
   * `limits.requestStateTtlMs` (default 10 minutes).
   *
   * @throws {TypeError} for a malformed or repeated key, and in 2026-07-28 without a task where the app has no `tasks()`
   *   or no binding `MCP_OBJECTS`
   * @throws {ToolError} when nothing was delivered in time
   */
  waitFor<S extends Schema>(key: string, options: WaitOptions<S>): Promise<InferArguments<S>>
  waitFor(key: string, options?: WaitOptions<undefined>): Promise<unknown>

  /**
   * Returns the URL that delivers a value to {@link AskMembers.waitFor}: `POST` it with a JSON body, once.
   * The URL is a secret: a program that has it can deliver. A call of the revisions before 2026-07-28
   * without a task and a session ends with a tool error, as at {@link AskMembers.sleep}.
   *
   * @throws {TypeError} for a malformed key, and in 2026-07-28 without a task where the app has no `tasks()` or no
   *   binding `MCP_OBJECTS`
   */
  webhook(key: string): Promise<string>
}

/** What `state()` brings to the context. */
export interface StateMembers {
  /** JSON values that outlive the call: by handle, of the session, and of the caller. */
  readonly state: StateContext
}

/** What `files()` brings to the context. */
export interface FileMembers {
  /**
   * Stores a file and returns its resource link, for a result that is too large for the client. A handler
   * that runs again has the file of its first run. Needs `files: true` in the config of the tool.
   *
   * @param name shown to people: 1 to 255 bytes of UTF-8 without folders and control characters
   * @throws {ToolError} `invalid-name`, `too-large`, `too-many`, `no-space`
   * @throws {TypeError} for other data, a malformed option, and without the binding `MCP_OBJECTS`
   */
  file(name: string, data: FileData, options?: FileOptions): Promise<StoredFile>

  /** The files that the tool takes, by the names that its config declares: `files: { photo: file({ … }) }`. */
  readonly files: object

  /**
   * Splits a text into pages, and returns the one that the cursor names, with the cursor of the next one.
   * The tool has an optional argument for it: `return ctx.page(text, { cursor })`. All pages are of the text
   * of the first call.
   *
   * @param text or a function, which is called for the first page alone
   * @throws {ToolError} `unknown-cursor`, and for the first page those of {@link FileMembers.file}
   * @throws {TypeError} for a malformed option, and without the binding `MCP_OBJECTS`
   */
  page(text: string | (() => string | Promise<string>), options?: PageOptions): Promise<TextPage>

  /**
   * Asks the person at the client for a file: the client shows a URL, at which the person uploads it.
   * Suspends like {@link AskMembers.elicit}, and needs a client with elicitation by URL
   * (`ctx.client.can('elicit-url')`). A request of the modern revision that is not a task waits for half a
   * minute and then asks again, up to five times.
   *
   * @throws {ToolError} `not-uploaded` when no file came in time
   * @throws {TypeError} for a malformed option, and without the binding `MCP_OBJECTS`
   */
  upload(request: UploadRequest): Promise<UploadResult>
}

/** What `events()` brings to the context. */
export interface EventMembers {
  /**
   * Stores an occurrence of an event type, for its subscribers. When the promise resolves, it is stored and will be
   * delivered. A handler that runs again around its asks emits it once. Needs `events()`.
   *
   * @throws {OperationError} and nothing is stored
   * @throws {TypeError} without the binding of `events()`
   */
  readonly emit: Emit
}

/** What `changes()` brings to the context. */
export interface ChangeMembers {
  /** Publishes changes to the listeners of all connections and isolates. */
  readonly notify: Notify
}

/** What `connections()` brings to the context. */
export interface ConnectionMembers {
  /**
   * Returns an account of the person at another service. Where there is none that fits, the person is asked to connect one
   * at a page of this server, and the handler goes on by itself: in a client that cannot open an address, the model gives
   * it to the person, and calls the tool again. Work without a person present is never held up: it throws `not-connected`.
   * Connect before a step that must not repeat.
   *
   * @param name of a connection of the app
   * @throws {ToolError} whose message says what to do; its `reason` is a {@link ConnectionErrorReason}
   * @throws {TypeError} for a name that the app does not have
   */
  connect(name: string, options?: ConnectOptions): Promise<ConnectedAccount>
}

/** The members that features bring, by the name of the feature. */
export interface BroughtMembers {
  readonly asks: AskMembers
  readonly state: StateMembers
  readonly files: FileMembers
  readonly events: EventMembers
  readonly changes: ChangeMembers
  readonly connections: ConnectionMembers
}

/** What every context has. Its members can be destructured. */
export interface CoreContext<Env = DefaultEnv, Props = GrantProps> {
  /** The verified caller; undefined on a server without authorization. */
  readonly auth: CallerAuth<Props> | undefined
  readonly client: ClientContext
  readonly request: RequestContext
  /** The session of the request; undefined in the modern era and for a client without a session. */
  readonly session: SessionContext | undefined
  /** The Worker's bindings. */
  readonly env: Env
  /** Aborted on cancellation (in the modern era also when the client disconnects) and on timeout. */
  readonly signal: AbortSignal

  /**
   * Reports progress, if the caller sent a progress token. A value that does not exceed the previous one
   * is dropped, because the protocol forbids it. Resolves when the stream has accepted the
   * notification: await it to adapt the handler to a slow reader.
   *
   * @throws {TypeError} if a number is not finite
   *
   * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress
   */
  progress(progress: number, total?: number, message?: string): Promise<void>

  /**
   * Sends a log message on the stream of this request, if the client asked for that level. `data` is
   * any JSON value. It must not contain secrets.
   *
   * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging
   */
  log(level: LogLevel, data: unknown, logger?: string): Promise<void>

  /**
   * The task of the request; undefined for a call that is not a task. A call of a tool with `task: 'optional'` is one for
   * clients without tasks too, unless its caller has too many.
   */
  readonly task: TaskContext | undefined

  /**
   * Closes the SSE stream of this request without ending the request. A client of revision 2025-11-25
   * reconnects after the retry time and reads the rest. Use it to free the connection of a long call.
   * Does nothing for clients that cannot resume.
   *
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server
   */
  closeStream(): void

  /** Extends the lifetime of the request beyond its answer, like `ExecutionContext.waitUntil`. */
  waitUntil(promise: Promise<unknown>): void
}

/** A member of the context that the server does not use: add the value to `uses` of `createServer`. */
export interface AddToUses<Value extends string> extends Readonly<Record<never, Value>> {}

type Absent<Name extends keyof BroughtMembers> = {
  readonly [Member in keyof BroughtMembers[Name]]: AddToUses<`${Name}()`>
}

/** The members of a server that uses nothing. */
export interface NoMembers
  extends Absent<'asks'>,
    Absent<'state'>,
    Absent<'files'>,
    Absent<'events'>,
    Absent<'changes'>,
    Absent<'connections'> {}

/** The members of a feature: optional where a condition decides whether the server uses it. */
type MembersOf<Name extends keyof BroughtMembers, Names extends string> = Name extends Names
  ? BroughtMembers[Name]
  : `${Name}?` extends Names
    ? Partial<BroughtMembers[Name]>
    : Absent<Name>

/** The members by the names of features, with `?` for one behind a condition. */
export type MembersBy<Names extends string> = [Names] extends [never]
  ? NoMembers
  : MembersOf<'asks', Names> &
      MembersOf<'state', Names> &
      MembersOf<'files', Names> &
      MembersOf<'events', Names> &
      MembersOf<'changes', Names> &
      MembersOf<'connections', Names>

/**
 * The context of one request, for a handler.
 *
 * @typeParam Env the Worker's bindings
 * @typeParam Props the data that `hooks.onIssue` attaches to a grant
 * @typeParam Members what the features bring that the server uses: `ContextOf<typeof server>` has them
 */
export type Context<Env = DefaultEnv, Props = GrantProps, Members = NoMembers> = CoreContext<
  Env,
  Props
> &
  Members

/** The context with the members of all features, as dispatch implements it. */
export interface FullContext<Env = unknown, Props = GrantProps>
  extends CoreContext<Env, Props>,
    AskMembers,
    StateMembers,
    FileMembers,
    EventMembers,
    ChangeMembers,
    ConnectionMembers {}

/** The context of a definition, by its `scopes`: the handler of one with scopes runs for callers who have them. */
export type ScopedContext<Env, Props, Scopes, Members> = Scopes extends readonly [
  string,
  ...string[],
]
  ? Context<Env, Props, Members> & { readonly auth: CallerAuth<Props> }
  : Context<Env, Props, Members>
