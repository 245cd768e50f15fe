/** Whether the requests and the rows of a task object belong to the server of its class. */
import type { TaskError, TaskStart } from '../../src/ports/tasks.ts'
import { ErrorCode } from '../../src/protocol/error-codes.ts'
import { MISCONFIGURED } from '../../src/protocol/served-server.ts'
import { ServerGuard, type ServerGuardContext } from '../run/server-guard.ts'

export class TaskServer extends ServerGuard {
  constructor(context: ServerGuardContext) {
    super(context, 'tasks')
  }

  /** The error of a new task of another server; undefined for one of this server. */
  refusalOfStart({ request, caller }: TaskStart): TaskError | undefined {
    // A server with authorization has no such caller, also when another one has its name and its paths.
    const isPossible = caller !== undefined || !this.requiresCaller
    if (isPossible && this.accepts(request.server)) return undefined
    this.report(request.server)
    return { code: ErrorCode.internalError, message: MISCONFIGURED }
  }
}
