/** Builds the call of a run for the dispatcher. */
import type { Call } from '../../src/dispatch/call.ts'
import { ObservedServices } from '../../src/dispatch/observed-services.ts'
import type { Target } from '../../src/dispatch/target.ts'
import { webhookUrl } from '../../src/features/asks/webhook-secrets.ts'
import { ASKING_METHODS } from '../../src/protocol/asking-methods.ts'
import { NO_PARAMS } from '../../src/protocol/factory-params.ts'
import { notificationText } from '../../src/protocol/json-rpc.ts'
import { metaOf, readProgressToken } from '../../src/protocol/meta.ts'
import { callRequestOf } from '../run/call-request.ts'
import { recordingOf } from './record-run.ts'
import type { SessionParts } from './session-parts.ts'
import type { SessionRun } from './session-run.ts'

/** @throws {ProtocolError} invalidParams for a malformed progress token */
export function createCall(run: SessionRun, target: Target, parts: SessionParts): Call {
  const { client, deployment, waitUntil, runs } = parts
  const { method, params } = run.request
  const mayWait = run.delivery.mayStream && ASKING_METHODS.has(method)
  const recording = recordingOf(run, parts)
  const progressToken = readProgressToken(metaOf(params))
  return {
    target,
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
      notify: (name, params) => runs.notify(run, notificationText(name, params)),
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
        return parts.sessionOf(run)
      },
      continues: run.continues,
      opensSession: false,
      journal: run.journal,
      recording,
    },
  }
}
