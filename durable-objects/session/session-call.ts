/** Builds the call of a run for the dispatcher. */
import type { Call, CallRun, Deployment } from '../../src/dispatch/call.ts'
import type { CallSession } from '../../src/dispatch/call-session.ts'
import { ObservedServices } from '../../src/dispatch/observed-services.ts'
import { webhookUrl } from '../../src/features/asks/webhook-secrets.ts'
import { ASKING_METHODS } from '../../src/protocol/asking-methods.ts'
import { NO_PARAMS } from '../../src/protocol/factory-params.ts'
import { notificationText } from '../../src/protocol/json-rpc.ts'
import { metaOf, readProgressToken } from '../../src/protocol/meta.ts'
import { callRequestOf } from '../run/call-request.ts'
import type { ClientState } from './client-state.ts'
import { recordingOf } from './record-run.ts'
import type { SessionRun } from './session-run.ts'

/** The effects of a handler on its session. */
export interface CallEffects {
  /** Resolves when the reader of the run's stream can take more. */
  readonly notify: (run: SessionRun, message: string) => Promise<void>
  readonly sessionOf: (run: SessionRun) => CallSession
}

/** @throws {ProtocolError} invalidParams for a malformed progress token */
export function createCall(
  run: SessionRun,
  client: ClientState,
  deployment: Deployment,
  waitUntil: CallRun['waitUntil'],
  { notify, sessionOf }: CallEffects,
): Call {
  const { method, params } = run.request
  const mayWait = run.delivery.mayStream && ASKING_METHODS.has(method)
  const recording = recordingOf(run, { client, deployment, waitUntil })
  const progressToken = readProgressToken(metaOf(params))
  return {
    request: callRequestOf(run, client.claims.params ?? NO_PARAMS, progressToken),
    client: client.forCall(),
    deployment,
    services:
      recording === undefined
        ? deployment.services
        : new ObservedServices(deployment.services, recording),
    run: {
      get id() {
        return run.id
      },
      cancellation: run.cancellation,
      notify: (name, params) => notify(run, notificationText(name, params)),
      waitUntil,
      canAsk: mayWait,
      canWait: mayWait,
      holdsWaits: false,
      task: undefined,
      webhookUrl: (key) =>
        webhookUrl(deployment, run.request.origin ?? '', {
          name: client.claims.name,
          key,
          run: run.id,
        }),
      get session() {
        return sessionOf(run)
      },
      opensSession: false,
      journal: run.journal,
      recording,
    },
  }
}
