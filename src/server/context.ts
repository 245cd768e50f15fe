/** What a handler is handed besides its arguments. The implementation is `../dispatch/handler-context.ts`. */
import type { AuthInfo } from '../protocol/auth-info.ts'
import type { ClientCapabilities } from '../protocol/capabilities.ts'
import type { Implementation } from '../protocol/content.ts'
import type { LogLevel } from '../protocol/log-level.ts'
import type { TraceContext } from '../protocol/meta.ts'
import type { Era } from '../protocol/revisions.ts'

/** The caller's program, as far as it said so itself. */
export interface ClientContext {
  readonly info: Implementation | undefined
  readonly capabilities: ClientCapabilities
  /** The protocol revision this request is served under. */
  readonly protocolVersion: string
  readonly era: Era
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

  /** Work that may go on after the answer, as `ExecutionContext.waitUntil` allows. */
  waitUntil(promise: Promise<unknown>): void
}
