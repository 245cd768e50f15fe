/** What a handler is handed besides its arguments. The implementation is `../dispatch/handler-context.ts`. */
import type { AuthInfo } from '../protocol/auth-info.ts'
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
import type { Schema } from './schema/standard-schema.ts'

/** What a client may be asked for. */
export type Askable = 'elicit' | 'elicit-url' | 'sample' | 'sample-tools' | 'roots'

/** The caller's program, as far as it said so itself. */
export interface ClientContext {
  readonly info: Implementation | undefined
  readonly capabilities: ClientCapabilities
  /** The protocol revision this request is served under. */
  readonly protocolVersion: string
  readonly era: Era
  /** Whether this request can ask for that: the client declared it, and the connection carries questions. */
  can(what: Askable): boolean
}

export interface SessionContext {
  /** As the client knows it: `Mcp-Session-Id`, or the `sessionId` of the older transport. */
  readonly id: string
  /**
   * Asks whether the client is there, and resolves when it answers. It is an ask like any other: the
   * handler suspends, and a `ToolError` says that an answer was refused or did not come in time.
   *
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping
   */
  readonly ping: () => Promise<void>
}

export interface RequestContext {
  readonly id: string | number
  readonly method: string
  /** The HTTP headers of the POST that carried the request. */
  readonly headers: Headers
  /** The `_meta` of the request, as sent. */
  readonly meta: { readonly [key: string]: unknown } | undefined
  /** W3C trace context from `_meta`, or undefined where there is none. */
  readonly trace: TraceContext | undefined
}

/** News of changes. Resolves when the hub has taken it; without a hub it throws. */
export interface Notify {
  toolsChanged(): Promise<void>
  promptsChanged(): Promise<void>
  resourcesChanged(to?: NotifyScope): Promise<void>
  /** A listener hears only of resources that it may see. */
  resourceUpdated(uri: string, to?: NotifyScope): Promise<void>
  /**
   * A person is done at the address of a URL-mode elicitation. Told to clients of revision 2025-11-25,
   * on the GET stream of their session.
   *
   * @param elicitationId 1 to 256 visible ASCII characters
   */
  elicitationComplete(elicitationId: string, to?: NotifyScope): Promise<void>
}

/** Whose listeners hear: all of them, or those of one subject where the URI means something else to everyone. */
export interface NotifyScope {
  readonly subject?: string | undefined
}

/**
 * One request, from a handler's side. Flat, so that destructuring reads well.
 *
 * @typeParam Env the Worker's bindings
 */
export interface Context<Env = unknown> {
  /** Who is calling; undefined on a server without authorization. */
  readonly auth: AuthInfo | undefined
  readonly client: ClientContext
  readonly request: RequestContext
  /** The session of the request; undefined in the modern era and for a client that keeps none. */
  readonly session: SessionContext | undefined
  /** The Worker's bindings. */
  readonly env: Env
  /** Aborted when the client is gone (where the revision makes that a cancellation) or time is up. */
  readonly signal: AbortSignal

  /**
   * Reports progress. Sent only if the caller asked for it with a progress token; a value that does
   * not exceed the last one is dropped, as the protocol forbids it. Resolves when the stream has
   * taken the notification, so that awaiting it paces the handler to a slow reader.
   *
   * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress
   */
  progress(progress: number, total?: number, message?: string): Promise<void>

  /**
   * Sends a log message to the client on the stream of this request, where the client asked for
   * that level. `data` is any JSON value; it must hold no secrets.
   *
   * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging
   */
  log(level: LogLevel, data: unknown, logger?: string): Promise<void>

  /**
   * Asks a person to fill in a form, or to go to an address, and waits for what they did.
   *
   * While they think nothing is held anywhere: the handler ends here and is **run again from the
   * top** when the answer is there, with every answer and step it already has. So whatever must
   * happen once belongs into {@link Context.step}. Asks made together (`Promise.all`) go out
   * together. A client that cannot ask is answered by the protocol's own error. Allowed in tools,
   * prompts and resources.
   *
   * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
   */
  elicit<S extends Schema>(ask: ElicitForm<S>): Promise<ElicitResult<ElicitContent<S>>>
  elicit(ask: ElicitUrl): Promise<ElicitUrlResult>

  /** Asks the client's model. Suspends like {@link Context.elicit}. */
  sample(request: CreateMessageRequest): Promise<CreateMessageResult>

  /** Asks which folders the client works in. Suspends like {@link Context.elicit}. */
  listRoots(ask?: { readonly key?: string }): Promise<readonly Root[]>

  /**
   * Does something once, however often the handler is run again around its asks, and returns what it
   * returned then, as JSON holds it. It is kept by the next question: a round that a client sends
   * again runs the steps behind its questions again, which `singleUse` prevents. A step that throws is
   * not kept.
   *
   * @param key names the step: 1 to 64 of `A-Z a-z 0-9 _ - .`, once per handler
   */
  step<T>(key: string, run: () => T | Promise<T>): Promise<T>

  /**
   * Ends the connection that waits for this request, and not the request: a client of revision
   * 2025-11-25 comes back for the rest when it has waited as long as it was told. Spares a long call
   * its connection; does nothing where a client could not come back.
   *
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server
   */
  closeStream(): void

  /** Tells listeners, on every connection and isolate, what has changed. */
  readonly notify: Notify

  /** Work that may go on after the answer, as `ExecutionContext.waitUntil` allows. */
  waitUntil(promise: Promise<unknown>): void
}
