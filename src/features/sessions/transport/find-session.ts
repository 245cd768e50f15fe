/** Finds the session of an id that a client sent. All faults of an id have the same refusal. */
import type { Sealer } from '../../../ports/sealer.ts'
import type { SessionClaims, Sessions } from '../../../ports/sessions.ts'
import { type FactoryParams, NO_PARAMS } from '../../../protocol/factory-params.ts'
import type { RequestId } from '../../../protocol/json-rpc.ts'
import { principalContext } from '../../../protocol/principal.ts'
import { findRevision, OLDEST_SESSION, type Revision } from '../../../protocol/revisions.ts'
import type { Exchange } from '../../../transport/exchange.ts'
import { Refusal } from '../../../transport/refusal.ts'

export interface FoundSession {
  /** The id as the client sent it. */
  readonly id: string
  readonly claims: SessionClaims
  readonly revision: Revision
  readonly sessions: Sessions
  readonly sealer: Sealer
  /** The context that the session's seals are bound to. */
  readonly context: string
}

/**
 * The refusal does not disclose whether an id is unknown, forged, expired, foreign or ended.
 *
 * @throws {Refusal} `session-not-found`
 */
export async function findSession(
  { endpoint, auth, validFrom = 0, services, factoryParams, recording }: Exchange,
  id: string,
  transport: SessionClaims['transport'],
  requestId?: RequestId,
): Promise<FoundSession> {
  const sealer = services.sealer()
  const sessions = services.sessions()
  if (sealer === undefined || sessions === undefined) throw sessionNotFound(requestId)
  const context = principalContext(endpoint.audience, auth)
  const claims = await endpoint.extensions.sessions?.ids.open(sealer, id, context)
  if (claims?.transport !== transport) throw sessionNotFound(requestId)
  if (claims.expiresAt - sessions.limits.lifetimeMs < validFrom) throw sessionNotFound(requestId)
  if (!hasParams(claims, factoryParams)) throw sessionNotFound(requestId)
  recording?.inSession(claims)
  const { revision: named } = claims
  const revision = (named === undefined ? undefined : findRevision(named)) ?? OLDEST_SESSION
  return { id, claims, revision, sessions, sealer, context }
}

/**
 * Whether a session was opened with exactly these params. With the 2024-11-05 transport, the id alone has
 * those of the query: the URL for messages has its own query.
 */
export function hasParams(
  { params = NO_PARAMS, transport }: SessionClaims,
  given: FactoryParams,
): boolean {
  if (params === given) return true
  const names = Object.keys(given)
  return (
    (transport === 'http-sse' || names.length === Object.keys(params).length) &&
    names.every((name) => Object.hasOwn(params, name) && given[name] === params[name])
  )
}

export function sessionNotFound(id?: RequestId): Refusal {
  const text = 'Session not found. Open a new session with initialize'
  return new Refusal('session-not-found', text, { id })
}
