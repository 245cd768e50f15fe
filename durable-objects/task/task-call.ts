/** Builds the call of a task for the dispatcher. */
import type { Call, CallRun, CallTask, Deployment } from '../../src/dispatch/call.ts'
import type { Cancellation } from '../../src/dispatch/cancellation.ts'
import type { Journal } from '../../src/dispatch/journal/journal.ts'
import type { CallerGrant } from '../../src/ports/authenticator.ts'
import type { TaskRequest } from '../../src/ports/tasks.ts'
import { ASKING_METHODS } from '../../src/protocol/asking-methods.ts'
import type { AuthInfo } from '../../src/protocol/auth-info.ts'
import { readHeaderLines } from '../header-lines.ts'

export interface TaskCallParts {
  /** The name of the task object. */
  readonly name: string
  readonly request: TaskRequest
  readonly auth: AuthInfo | undefined
  readonly grant: CallerGrant | undefined
  readonly deployment: Deployment
  readonly cancellation: Cancellation
  readonly journal: Journal
  readonly task: CallTask
  readonly waitUntil: CallRun['waitUntil']
}

/** A stay in memory ends by itself only when the platform ends it; so the limit of plain calls does not apply. */
const NO_TIMEOUT_MS = 2 ** 31 - 1

export function createTaskCall({
  name,
  request,
  auth,
  grant,
  deployment,
  cancellation,
  journal,
  task,
  waitUntil,
}: TaskCallParts): Call {
  const { id, method, params, headers, origin, era, clientInfo, capabilities, factoryParams } =
    request
  const limits = { ...deployment.limits, handlerTimeoutMs: NO_TIMEOUT_MS }
  return {
    request: {
      id,
      method,
      params,
      auth,
      grant,
      factoryParams,
      // Parsed on first access: most handlers read no header.
      get headers() {
        return readHeaderLines(headers)
      },
      origin: () => origin,
      // Progress is the message of the status: a task has no stream.
      progressToken: undefined,
    },
    client: { era, info: clientInfo, capabilities, logLevel: undefined },
    deployment: { ...deployment, limits },
    run: {
      id: name,
      cancellation,
      notify: async () => undefined,
      waitUntil,
      canAsk: ASKING_METHODS.has(method),
      canWait: true,
      task,
      session: undefined,
      opensSession: false,
      journal,
    },
  }
}
