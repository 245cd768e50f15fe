/** One request, ready to be dispatched: what the transport knows of it, without any HTTP. */
import type { ChangeBus } from '../ports/change-bus.ts'
import type { Sealer } from '../ports/sealer.ts'
import type { TelemetryEvent } from '../ports/telemetry.ts'
import type { AuthInfo } from '../protocol/auth-info.ts'
import type { ClientCapabilities } from '../protocol/capabilities.ts'
import type { Implementation } from '../protocol/content.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { RequestId } from '../protocol/json-rpc.ts'
import type { LogLevel } from '../protocol/log-level.ts'
import type { ProgressToken } from '../protocol/meta.ts'
import type { Era } from '../protocol/revisions.ts'
import type { CallSession } from './call-session.ts'
import type { Cancellation } from './cancellation.ts'
import type { Journal } from './journal/journal.ts'

export interface Call {
  readonly id: RequestId
  readonly method: string
  readonly params: JsonObject | undefined
  readonly auth: AuthInfo | undefined
  readonly clientInfo: Implementation | undefined
  readonly clientCapabilities: ClientCapabilities
  /** Least severity of log messages to send; undefined sends none. */
  readonly logLevel: LogLevel | undefined
  readonly progressToken: ProgressToken | undefined
  readonly headers: Headers
  readonly env: unknown
  readonly era: Era
  /** Whether questions can go out: as the answer in the modern era, as requests in the others. */
  readonly asking: boolean
  /** The session it belongs to; undefined for a request that is served by itself. */
  readonly session: CallSession | undefined
  /** Whether a session begins with it. */
  readonly opensSession: boolean
  /** What its earlier rounds have obtained, where a session keeps it. */
  readonly journal: Journal | undefined
  /** What a sealed state is bound to besides the caller: which server this is. */
  readonly audience: string
  readonly requestStateTtlMs: number
  /** Undefined where nothing is configured to seal with. */
  readonly sealer: () => Sealer | undefined
  /** Undefined where no hub is configured. */
  readonly changes: () => ChangeBus | undefined
  readonly cancellation: Cancellation
  /** Most milliseconds a handler may take, where its definition does not say. */
  readonly handlerTimeoutMs: number
  /** Sends a notification ahead of the answer. Resolves when the stream has taken it, or at once where there is none. */
  readonly notify: (method: string, params: JsonObject) => Promise<void>
  readonly waitUntil: (promise: Promise<unknown>) => void
  readonly report: (event: TelemetryEvent) => void
}

/** The JSON text of a result; bytes where it is the same for many requests. */
export type ResultText = string | Uint8Array
