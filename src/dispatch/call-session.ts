/** What a request may do to the session it belongs to. */
import type { LogLevel } from '../protocol/log-level.ts'

export interface CallSession {
  /** As the client knows it. */
  readonly id: string
  /** From this on, for the whole session. */
  setLogLevel(level: LogLevel): void
  /** @throws {ProtocolError} invalidParams for one too many */
  subscribe(uri: string): Promise<void>
  unsubscribe(uri: string): void
  /** Lets the client hear when this elicitation is complete. */
  expectElicitation(elicitationId: string): void
  /** Ends the connection of this request's stream, not the stream: the client polls for the rest. */
  closeStream(): void
}
