/** One request of a session as a call: what the dispatcher needs, from what the session knows. */
import type { Call } from '../../src/dispatch/call.ts'
import type { CallSession } from '../../src/dispatch/call-session.ts'
import { ASKING_METHODS } from '../../src/protocol/asking-methods.ts'
import { notificationText } from '../../src/protocol/json-rpc.ts'
import { metaOf, readProgressToken } from '../../src/protocol/meta.ts'
import type { ClientState } from './client-state.ts'
import type { Run } from './run.ts'
import type { SessionHost } from './session-host.ts'

/** Where a call's side effects on its session go. */
export interface CallEffects {
  /** Resolves when the reader can take more. */
  readonly emit: (run: Run, message: string) => Promise<void>
  readonly sessionOf: (run: Run) => CallSession
}

/** @throws {ProtocolError} invalidParams for a malformed progress token */
export function createCall(
  run: Run,
  client: ClientState,
  { limits, audience, report, servicesOf }: SessionHost,
  env: unknown,
  waitUntil: Call['waitUntil'],
  { emit, sessionOf }: CallEffects,
): Call {
  const { id, method, params, auth, headers } = run.request
  const { sealer, changes } = servicesOf(env)
  return {
    id,
    method,
    params,
    auth,
    clientInfo: client.clientInfo,
    clientCapabilities: client.clientCapabilities,
    logLevel: client.logLevel,
    progressToken: readProgressToken(metaOf(params)),
    // Made when somebody looks at them.
    get headers() {
      return readHeaders(headers)
    },
    env,
    era: client.claims.transport === 'http-sse' ? 'http-sse' : 'session',
    asking: run.delivery.mayStream && ASKING_METHODS.has(method),
    get session() {
      return sessionOf(run)
    },
    opensSession: false,
    journal: run.journal,
    audience,
    requestStateTtlMs: limits.requestStateTtlMs,
    sealer,
    changes,
    cancellation: run.cancellation,
    handlerTimeoutMs: limits.handlerTimeoutMs,
    notify: (name, notification) => emit(run, notificationText(name, notification)),
    waitUntil,
    report,
  }
}

function readHeaders(lines: string): Headers {
  const headers = new Headers()
  for (const line of lines.split('\n')) {
    const at = line.indexOf(': ')
    if (at !== -1) headers.append(line.slice(0, at), line.slice(at + 2))
  }
  return headers
}
