/** The part of a session that serves tasks of 2025-11-25. The session has its rows, `tasks()` brings the rest. */
import type { Deployment } from '../../src/dispatch/call.ts'
import { ExtensionPoint } from '../../src/feature/extension-point.ts'
import type { SessionLimits } from '../../src/ports/sessions.ts'
import type { TaskFollower, TaskSnapshot } from '../../src/ports/tasks.ts'
import type { Codec } from '../../src/protocol/codec/codec.ts'
import type { ResponseMessage } from '../../src/protocol/json-rpc.ts'
import type { Asks } from './asks.ts'
import type { ClientState } from './client-state.ts'
import type { SessionLifetime } from './lifetime.ts'
import type { Runs } from './runs.ts'
import type { SessionStorage } from './session-storage.ts'
import type { StreamLogs } from './stream-logs.ts'
import type { StreamSockets } from './stream-sockets.ts'

export interface TaskPartContext {
  readonly storage: SessionStorage
  readonly logs: StreamLogs
  readonly sockets: StreamSockets
  readonly client: ClientState
  readonly asks: Asks
  readonly runs: Runs
  readonly codec: Codec
  readonly deployment: Deployment
  readonly lifetime: SessionLifetime
  readonly limits: Pick<SessionLimits, 'logRetentionMs'>
  /** How long after an ask was sent its reader may be about to connect, or to connect again. */
  readonly reconnectMs: number
}

export interface TaskPart {
  /** Asks a task to report its changes to this session, and returns its present state. */
  follow(task: string, subject: string | undefined): Promise<TaskSnapshot | undefined>
  /** Processes a change that a task reports. */
  changed(task: string, state: TaskSnapshot, follower: TaskFollower): Promise<void>
  /** Gives a task the response to its ask; false when no ask of a task has its id. */
  respond(message: ResponseMessage): Promise<boolean>
  /** Sends the asks that no reader has: after a stream was opened or closed, or a request for a result has ended. */
  deliver(): void
}

/** Undefined without `tasks()`. */
export type CreateTaskPart = (context: TaskPartContext) => TaskPart | undefined

export const TASK_PART = new ExtensionPoint<(context: TaskPartContext) => TaskPart>()
