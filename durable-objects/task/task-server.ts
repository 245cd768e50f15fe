/** Whether the requests and the rows of a task object belong to the server of its class. */
import { openTaskId } from '../../src/features/tasks/task-ids.ts'
import type { TaskError, TaskRequest, TaskStart } from '../../src/ports/tasks.ts'
import { ErrorCode } from '../../src/protocol/error-codes.ts'
import { MISCONFIGURED } from '../../src/protocol/served-server.ts'
import { ServerGuard, type ServerGuardContext } from '../run/server-guard.ts'

export class TaskServer extends ServerGuard {
  constructor(context: ServerGuardContext) {
    super(context, 'tasks')
  }

  /**
   * The error of a new task of another server; undefined for one of this server. An earlier version names no server, so
   * the seal of the task id is compared.
   */
  async refusalOfStart({ request, caller }: TaskStart): Promise<TaskError | undefined> {
    // A server with authorization has no such caller, also when another one has its name and its paths.
    const isPossible = caller !== undefined || !this.requiresCaller
    if (isPossible && (await this.ownsRun(request))) return undefined
    this.report(request.server)
    return { code: ErrorCode.internalError, message: MISCONFIGURED }
  }

  /** Whether the run of a row is one of this server. A row of an earlier version has its sealed task id alone. */
  ownsRun(request: TaskRequest): boolean | Promise<boolean> {
    return request.server === undefined ? this.#isSealedHere(request) : this.accepts(request.server)
  }

  /** Whether the id of a task is sealed for the audience of this server. */
  async #isSealedHere({ taskId }: TaskRequest): Promise<boolean> {
    const { services, audience } = this.deployment
    const sealer = services.sealer()
    return sealer !== undefined && (await openTaskId(sealer, audience, taskId)) !== undefined
  }
}
