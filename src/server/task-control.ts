/** The types of `edgeway.tasks(env)`. `../features/tasks/task-control.ts` implements it. */
import type { JsonObject, JsonValue } from '../protocol/json.ts'
import type { TaskStatus } from '../protocol/tasks.ts'

/** A task as its owner sees it. Times are epoch milliseconds. */
export interface TaskInfo {
  readonly taskId: string
  readonly status: TaskStatus
  readonly statusMessage: string | undefined
  readonly createdAt: number
  readonly lastUpdatedAt: number
  /** When the task and its result are deleted. */
  readonly expiresAt: number
  /** The result of the call, when the status is `completed`. */
  readonly result?: JsonObject
  /** The JSON-RPC error of the call, when the status is `failed`. */
  readonly error?: { readonly code: number; readonly message: string; readonly data?: JsonValue }
}

/** A page of tasks. */
export interface TaskPage {
  readonly tasks: readonly TaskInfo[]
  /** Continues the list; undefined on its last page. */
  readonly nextCursor: string | undefined
}

/** Why a value was not delivered. */
export type DeliveryErrorReason =
  | 'unknown-task'
  | 'task-is-over'
  | 'delivered-before'
  | 'too-late'
  | 'does-not-fit'
  | 'too-large'
  | 'too-many-values'

/** The tasks of a deployment, for routes, queue consumers and crons. No caller is checked: the owner calls it. */
export interface TaskControl {
  /**
   * Gives a value to `ctx.waitFor(key)` of a task. A value that comes before the wait is kept.
   *
   * @param value JSON of at most 262,144 characters
   * @throws {OperationError} with the reason
   */
  deliver(taskId: string, key: string, value: JsonValue): Promise<void>
  /** Undefined when there is no such task, or not any more. */
  get(taskId: string): Promise<TaskInfo | undefined>
  /** Cancels a task and returns its state afterwards; one that is over stays as it is. */
  cancel(taskId: string): Promise<TaskInfo | undefined>
  /** The tasks of a subject at every resource, newest first, 20 on a page. */
  list(subject: string, cursor?: string): Promise<TaskPage>
}
