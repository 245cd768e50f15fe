/**
 * `server.experimental.tasks` of the SDK 1.x: tools whose work goes on after `createTask` has returned. The
 * call is a task of Edgeway, which keeps its object in memory until the work has stored its result.
 */
import { findContext } from '../../../src/context/index.ts'
import type { ToolAnnotations } from '../../../src/protocol/primitives.ts'
import { isOverStatus, type TaskStatus } from '../../../src/protocol/tasks.ts'
import type { HandlerExtra } from './extra.ts'
import type { Arguments, ErasedHandler, RegisteredTool, ToolConfig } from './registrations.ts'
import type { ArgumentsOf } from './schema.ts'
import type { RequiredScopes } from './scopes.ts'
import type { CallToolResult, Result } from './types.ts'

/** A task as its store returns it. `ttl` and `pollInterval` are those that `createTask` was given. */
export interface Task {
  taskId: string
  status: TaskStatus
  statusMessage?: string
  createdAt: string
  lastUpdatedAt: string
  ttl: number | null
  pollInterval?: number
}

export type GetTaskResult = Task

export interface CreateTaskResult {
  task: Task
  [member: string]: unknown
}

export interface CreateTaskOptions {
  /** Has no effect: the client asks for a lifetime, and `tasks({ ttlMs })` bounds it. */
  ttl?: number | null
  pollInterval?: number
  context?: Record<string, unknown>
}

/** The store of one call: it knows the task of this call alone. */
export interface RequestTaskStore {
  createTask(options: CreateTaskOptions): Promise<Task>
  getTask(taskId: string): Promise<Task>
  /** Ends the task. */
  storeTaskResult(taskId: string, status: 'completed' | 'failed', result: Result): Promise<void>
  getTaskResult(taskId: string): Promise<Result>
  /** Shows a message to the client. `failed` and `cancelled` end the task with the message as its error. */
  updateTaskStatus(taskId: string, status: TaskStatus, statusMessage?: string): Promise<void>
  listTasks(cursor?: string): Promise<{ tasks: Task[]; nextCursor?: string }>
}

export interface CreateTaskRequestHandlerExtra extends HandlerExtra {
  taskStore: RequestTaskStore
}

export interface TaskRequestHandlerExtra extends CreateTaskRequestHandlerExtra {
  taskId: string
}

export type TaskCallback<Output, Extra, Args extends Arguments> = Args extends undefined
  ? (extra: Extra) => Output | Promise<Output>
  : (args: ArgumentsOf<Args>, extra: Extra) => Output | Promise<Output>

export interface ToolTaskHandler<Args extends Arguments = undefined> {
  /** Creates the task in `extra.taskStore`, and starts the work that stores its result there. */
  createTask: TaskCallback<CreateTaskResult, CreateTaskRequestHandlerExtra, Args>
  /** Never called, as in the SDK: the state is that of the store. */
  getTask: TaskCallback<GetTaskResult, TaskRequestHandlerExtra, Args>
  /** Never called, as in the SDK: the result is that of the store. */
  getTaskResult: TaskCallback<CallToolResult, TaskRequestHandlerExtra, Args>
}

export interface TaskToolExecution {
  /** Default `required`. */
  taskSupport: 'optional' | 'required'
}

export interface ToolTaskConfig extends RequiredScopes {
  title?: string
  description?: string
  annotations?: ToolAnnotations
  execution?: TaskToolExecution
  _meta?: Record<string, unknown>
}

/** Adds a tool to the registrations of its server. */
export type AddTool = (name: string, config: ToolConfig, handler: ErasedHandler) => RegisteredTool

export class ExperimentalMcpServerTasks {
  readonly #addTool: AddTool

  constructor(addTool: AddTool) {
    this.#addTool = addTool
  }

  registerToolTask<Output extends Arguments>(
    name: string,
    config: ToolTaskConfig & { outputSchema?: Output },
    handler: ToolTaskHandler,
  ): RegisteredTool
  registerToolTask<Input extends NonNullable<Arguments>, Output extends Arguments>(
    name: string,
    config: ToolTaskConfig & { inputSchema: Input; outputSchema?: Output },
    handler: ToolTaskHandler<Input>,
  ): RegisteredTool
  /** @throws {Error} for a name that is already registered, and for `taskSupport: 'forbidden'` */
  registerToolTask(
    name: string,
    config: ToolTaskConfig & ToolConfig,
    handler: { readonly createTask: ErasedHandler },
  ): RegisteredTool {
    const { execution, ...shown } = config
    const task = execution?.taskSupport ?? 'required'
    // The SDK has a third value, which its types do not allow here.
    if (!['optional', 'required'].includes(task)) {
      throw new Error(`Tool ${name} has tasks, so taskSupport must be "optional" or "required"`)
    }
    const { createTask } = handler
    if (typeof createTask !== 'function') throw new TypeError(`Tool ${name} needs createTask`)
    return this.#addTool(name, { ...shown, task }, async (...received: unknown[]) => {
      const extra = received.at(-1) as HandlerExtra
      const store = new CallTaskStore(extra.signal)
      // The members of `extra` are computed when they are read.
      const members = Object.getOwnPropertyDescriptors(extra)
      const taskExtra = Object.defineProperties({ taskStore: store }, members)
      await (createTask as (...args: unknown[]) => unknown)(...received.slice(0, -1), taskExtra)
      return store.result
    })
  }
}

class CallTaskStore implements RequestTaskStore {
  readonly #id = findContext()?.task?.id ?? crypto.randomUUID()
  readonly #signal: AbortSignal
  readonly #ended = Promise.withResolvers<Result>()
  #task: Task | undefined
  #stored: Result | undefined

  constructor(signal: AbortSignal) {
    this.#signal = signal
    // The work may end before anything waits for it.
    this.#ended.promise.catch(() => undefined)
  }

  /** The result of the work, once it is stored. @throws {Error} the status message of work that has failed */
  get result(): Promise<Result> {
    if (this.#task === undefined)
      throw new Error('createTask has created no task in extra.taskStore')
    return this.#ended.promise
  }

  async createTask({ ttl = null, pollInterval }: CreateTaskOptions): Promise<Task> {
    if (this.#task !== undefined) throw new Error('A call has one task')
    const now = new Date().toISOString()
    this.#task = {
      taskId: this.#id,
      status: 'working',
      createdAt: now,
      lastUpdatedAt: now,
      ttl,
      ...(pollInterval === undefined ? undefined : { pollInterval }),
    }
    return { ...this.#task }
  }

  async getTask(taskId: string): Promise<Task> {
    return { ...this.#find(taskId) }
  }

  async storeTaskResult(
    taskId: string,
    status: 'completed' | 'failed',
    result: Result,
  ): Promise<void> {
    this.#change(taskId, status)
    this.#stored = status === 'failed' ? { ...result, isError: true } : result
    this.#ended.resolve(this.#stored)
  }

  async getTaskResult(taskId: string): Promise<Result> {
    this.#find(taskId)
    if (this.#stored === undefined) throw new Error(`Task ${taskId} has no result stored`)
    return this.#stored
  }

  async updateTaskStatus(taskId: string, status: TaskStatus, message?: string): Promise<void> {
    this.#change(taskId, status, message)
    const ctx = findContext()
    // Reports are numbered, and the later one counts.
    if (message !== undefined && ctx?.task !== undefined) {
      await ctx.progress(Date.now(), undefined, message)
    }
    if (isOverStatus(status)) this.#ended.reject(new Error(message ?? `The task is ${status}.`))
  }

  async listTasks(): Promise<{ tasks: Task[] }> {
    return { tasks: this.#task === undefined ? [] : [await this.getTask(this.#id)] }
  }

  #find(taskId: string): Task {
    if (this.#task === undefined || taskId !== this.#id) {
      throw new Error('Failed to retrieve task: Task not found')
    }
    if (this.#signal.aborted && !isOverStatus(this.#task.status)) this.#task.status = 'cancelled'
    return this.#task
  }

  /** @throws {Error} for a task that is over, as in the SDK */
  #change(taskId: string, status: TaskStatus, statusMessage?: string): void {
    const task = this.#find(taskId)
    if (isOverStatus(task.status)) {
      throw new Error(`Task ${taskId} is over already: its status is ${task.status}`)
    }
    Object.assign(task, { status, lastUpdatedAt: new Date().toISOString() })
    if (statusMessage !== undefined) task.statusMessage = statusMessage
  }
}
