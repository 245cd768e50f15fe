/** Builds the call of a run for the dispatcher. */
import type { Call, CallRun, Deployment } from '../../src/dispatch/call.ts'
import type { CallSession } from '../../src/dispatch/call-session.ts'
import { ASKING_METHODS } from '../../src/protocol/asking-methods.ts'
import { NO_PARAMS } from '../../src/protocol/factory-params.ts'
import { notificationText } from '../../src/protocol/json-rpc.ts'
import { metaOf, readProgressToken } from '../../src/protocol/meta.ts'
import { readHeaderLines } from '../header-lines.ts'
import type { ClientState } from './client-state.ts'
import type { Run } from './run.ts'

/** The effects of a handler on its session. */
export interface CallEffects {
  /** Resolves when the reader of the run's stream can take more. */
  readonly notify: (run: Run, message: string) => Promise<void>
  readonly sessionOf: (run: Run) => CallSession
}

/** @throws {ProtocolError} invalidParams for a malformed progress token */
export function createCall(
  run: Run,
  client: ClientState,
  deployment: Deployment,
  waitUntil: CallRun['waitUntil'],
  { notify, sessionOf }: CallEffects,
): Call {
  const { id, method, params, headers } = run.request
  return {
    request: {
      id,
      method,
      params,
      auth: run.auth,
      grant: run.grant,
      factoryParams: client.claims.params ?? NO_PARAMS,
      // Parsed on first access: most handlers read no header.
      get headers() {
        return readHeaderLines(headers)
      },
      origin: () => run.request.origin ?? '',
      progressToken: readProgressToken(metaOf(params)),
    },
    client: client.forCall(),
    deployment,
    run: {
      get id() {
        return run.id
      },
      cancellation: run.cancellation,
      notify: (name, params) => notify(run, notificationText(name, params)),
      waitUntil,
      canAsk: run.delivery.mayStream && ASKING_METHODS.has(method),
      canWait: false,
      task: undefined,
      get session() {
        return sessionOf(run)
      },
      opensSession: false,
      journal: run.journal,
    },
  }
}
