/** One HTTP exchange at the endpoint: the request, where it runs, and what the door found out about it. */
import type { Deployment } from '../dispatch/call.ts'
import type { Dispatcher } from '../dispatch/dispatcher.ts'
import type { Services } from '../ports/services.ts'
import type { Leniency, TelemetryEvent } from '../ports/telemetry.ts'
import type { AuthInfo } from '../protocol/auth-info.ts'
import type { Accepted } from './accept.ts'
import type { Limits } from './limits.ts'
import type { Refusal } from './refusals.ts'
import type { ExtraHeaders } from './respond.ts'
import type { SessionIds } from './session/session-id.ts'

/** What is the same for every request. */
export interface Endpoint {
  readonly dispatcher: Dispatcher
  readonly limits: Limits
  readonly strict: boolean
  readonly headerMismatch: 'strict' | 'trust-body'
  /** Which server this is, in what it seals: configuration, never taken from a request. */
  readonly audience: string
  readonly report: (event: TelemetryEvent) => void
  readonly deploymentOf: (env: unknown) => Deployment
  /** Session ids that this isolate has opened. */
  readonly sessionIds: SessionIds
}

export interface Exchange {
  readonly endpoint: Endpoint
  readonly request: Request
  readonly env: unknown
  readonly waitUntil: (promise: Promise<unknown>) => void
  readonly services: Services
  readonly auth: AuthInfo | undefined
  /** Whether the caller would still be let in; undefined where everybody is. */
  readonly isStillAuthorized: (() => Promise<boolean>) | undefined
  /** `WWW-Authenticate` for scopes that the caller's token lacks. */
  readonly challenge: (scopes: readonly string[]) => string
  /** What the client can read, and the version it named: each header is read once. */
  readonly accepted: Accepted
  readonly versionHeader: string | null
  readonly extraHeaders: ExtraHeaders
}

/**
 * Counts a fault of the client that is served all the same.
 *
 * @throws {Refusal} instead, when the endpoint is strict
 */
export function allowLeniency(
  { endpoint }: Exchange,
  name: Leniency,
  method: string | undefined,
  refusal: () => Refusal,
) {
  if (endpoint.strict) throw refusal()
  endpoint.report({ type: 'leniency', name, method })
}
