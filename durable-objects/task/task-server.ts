/** Whether the requests and the rows of a task object belong to the server of its class. */
import type { Deployment } from '../../src/dispatch/call.ts'
import { openTaskId } from '../../src/features/tasks/task-ids.ts'
import type { TaskError, TaskRequest, TaskStart } from '../../src/ports/tasks.ts'
import { ErrorCode } from '../../src/protocol/error-codes.ts'
import { MISCONFIGURED, type OtherServerError } from '../../src/protocol/served-server.ts'
import { ServerGuard } from '../run/server-guard.ts'
import type { TaskStorage } from './task-storage.ts'

export interface TaskServerContext {
  readonly server: string
  readonly storage: TaskStorage
  readonly deployment: Pick<Deployment, 'audience' | 'services' | 'report'>
  /** Whether every caller has a token. */
  readonly requiresCaller: boolean
}

export class TaskServer {
  readonly #guard: ServerGuard
  readonly #context: TaskServerContext

  constructor(context: TaskServerContext) {
    this.#context = context
    this.#guard = new ServerGuard(context.server, 'tasks')
  }

  /** Whether the rows may be read, and their run resumed. */
  get ownsRows(): boolean {
    return this.#guard.accepts(this.#storedServer)
  }

  /** Reports rows of another server. They stay: a deployment with the right class continues with them. */
  reportRows(): void {
    this.#report(this.#storedServer)
  }

  /**
   * A request of this server for rows of another one is no error: its task is unknown here (`ownsRows`), as when the
   * only path of the server was replaced.
   *
   * @param server of the request; undefined for one of an earlier version, which the rows may belong to
   * @throws {OtherServerError} for a request of another server, which is reported
   */
  check(server: string | undefined): void {
    const foreign = server ?? this.#storedServer
    if (!this.#guard.accepts(foreign)) throw this.#report(foreign)
  }

  /**
   * The error of a new task of another server; undefined for one of this server. An earlier version names no server, so
   * the seal of the task id is compared.
   */
  async refusalOfStart({ request, caller }: TaskStart): Promise<TaskError | undefined> {
    // A server with authorization has no such caller, also when another one has its name and its paths.
    const isPossible = caller !== undefined || !this.#context.requiresCaller
    if (isPossible && (await this.ownsRun(request))) return undefined
    this.#report(request.server)
    return { code: ErrorCode.internalError, message: MISCONFIGURED }
  }

  /** Whether the run of a row is one of this server. A row of an earlier version has its sealed task id alone. */
  ownsRun(request: TaskRequest): boolean | Promise<boolean> {
    return request.server === undefined
      ? this.#isSealedHere(request)
      : this.#guard.accepts(request.server)
  }

  /** Whether the id of a task is sealed for the audience of this server. */
  async #isSealedHere({ taskId }: TaskRequest): Promise<boolean> {
    const { services, audience } = this.#context.deployment
    const sealer = services.sealer()
    return sealer !== undefined && (await openTaskId(sealer, audience, taskId)) !== undefined
  }

  get #storedServer(): string | undefined {
    const { storage } = this.#context
    return storage.existing?.task() === undefined ? undefined : storage.readRequest().server
  }

  #report(server: string | undefined): OtherServerError {
    const error = this.#guard.error(server)
    this.#context.deployment.report({ type: 'internal-error', error })
    return error
  }
}
