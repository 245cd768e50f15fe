/** The part of a session that serves tasks of 2025-11-25. The session has its rows, `tasks()` brings the rest. */
import { ExtensionPoint } from '../../src/feature/extension-point.ts'
import type { TaskFollower, TaskSnapshot } from '../../src/ports/tasks.ts'
import type { ResponseMessage } from '../../src/protocol/json-rpc.ts'
import type { SessionParts } from './session-parts.ts'

export type TaskPartContext = Pick<
  SessionParts,
  | 'storage'
  | 'logs'
  | 'sockets'
  | 'client'
  | 'asks'
  | 'runs'
  | 'codec'
  | 'deployment'
  | 'lifetime'
  | 'limits'
  | 'reconnectMs'
>

export interface TaskPart {
  /** Asks a task to report its changes to this session, and returns its present state. */
  follow(task: string, subject: string | undefined): Promise<TaskSnapshot | undefined>
  /** Processes a change that a task reports. */
  changed(task: string, state: TaskSnapshot, follower: TaskFollower): Promise<void>
  /** Gives a task the response to its ask; false when no ask of a task has its id. */
  respond(message: ResponseMessage): Promise<boolean>
  /** Cancels the task of a run that ends without the answer of its handler: the client has no handle of it. */
  abandon(run: string): void
  /** Withdraws the asks of tasks whose lifetime is over. */
  expire(now: number): void
  /** Sends the asks that no reader has: after a stream was opened or closed, or a request for a result has ended. */
  deliver(): void
}

/** Undefined without `tasks()`. */
export type CreateTaskPart = (context: TaskPartContext) => TaskPart | undefined

export const TASK_PART = new ExtensionPoint<(context: TaskPartContext) => TaskPart>()
