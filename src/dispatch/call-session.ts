/** The operations of a call on its session. */
import type { StateEntries } from '../ports/state-store.ts'
import type { TaskFollower, TaskSnapshot } from '../ports/tasks.ts'
import type { JsonValue } from '../protocol/json.ts'
import type { LogLevel } from '../protocol/log-level.ts'

export interface CallSession {
  /** The session id that the client sends. */
  readonly id: string
  /** What a task needs to report its changes to this session. */
  readonly follower: TaskFollower
  /**
   * Reports the changes of a task to the client from now on, and returns its present state; undefined when
   * there is no such task.
   */
  followTask(task: string): Promise<TaskSnapshot | undefined>
  /** Sets the level of log messages for the whole session. */
  setLogLevel(level: LogLevel): void
  /** The state of an agent; undefined before they have stored anything. */
  readonly state: JsonValue | undefined
  /** @throws {TypeError} for a value that is not JSON or too large */
  setState(state: JsonValue): void
  /** The values that handlers keep by key. They end with the session. */
  readonly entries: StateEntries
  /** @throws {ProtocolError} invalidParams, if the session has reached its limit of subscriptions */
  subscribe(uri: string): Promise<void>
  unsubscribe(uri: string): void
  /** Resolves when it is certain that the client is notified of the completion of these elicitations. */
  expectElicitations(elicitationIds: readonly string[]): Promise<void>
  /** Closes the connection of this request's stream. The stream continues, and the client polls it. */
  closeStream(): void
}
