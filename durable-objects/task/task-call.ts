/** Builds the call of a task for the dispatcher. */
import type { Call, CallRun, CallTask, Deployment } from '../../src/dispatch/call.ts'
import { webhookUrl } from '../../src/features/asks/webhook-secrets.ts'
import { ASKING_METHODS } from '../../src/protocol/asking-methods.ts'
import { callRequestOf } from '../run/call-request.ts'
import type { TaskRun } from './task-run.ts'

/** A stay in memory ends by itself only when the platform ends it; so the limit of plain calls does not apply. */
const NO_TIMEOUT_MS = 2 ** 31 - 1

export function createTaskCall(
  run: TaskRun,
  deployment: Deployment,
  task: CallTask,
  waitUntil: CallRun['waitUntil'],
  recording: CallRun['recording'],
): Call {
  const { name, method, era, clientInfo, capabilities, factoryParams } = run.request
  const limits = { ...deployment.limits, handlerTimeoutMs: NO_TIMEOUT_MS }
  return {
    // Progress is the message of the status: a task has no stream.
    request: callRequestOf(run, factoryParams, undefined),
    client: { era, info: clientInfo, capabilities, logLevel: undefined },
    deployment: { ...deployment, limits },
    services: deployment.services,
    run: {
      id: name,
      cancellation: run.cancellation,
      notify: async () => undefined,
      waitUntil,
      canAsk: ASKING_METHODS.has(method),
      canWait: true,
      holdsWaits: false,
      task,
      session: undefined,
      webhookUrl: (key) => {
        run.hasWebhook = true
        return webhookUrl(deployment, run.request.origin, { name, key })
      },
      opensSession: false,
      journal: run.journal,
      recording,
    },
  }
}
