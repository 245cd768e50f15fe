/** Finds the session of an id that a client sent. All faults of an id have the same refusal. */
import type { Sealer } from '../../ports/sealer.ts'
import type { SessionClaims, Sessions } from '../../ports/sessions.ts'
import type { RequestId } from '../../protocol/json-rpc.ts'
import { findRevision, OLDEST_SESSION, type Revision } from '../../protocol/revisions.ts'
import type { Exchange } from '../exchange.ts'
import { Refusal } from '../refusal.ts'
import { principalContext } from './session-id.ts'

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
  { endpoint, auth, services }: Exchange,
  id: string,
  transport: SessionClaims['transport'],
  requestId?: RequestId,
): Promise<FoundSession> {
  const sealer = services.sealer()
  const sessions = services.sessions()
  if (sealer === undefined || sessions === undefined) throw sessionNotFound(requestId)
  const context = principalContext(endpoint.audience, auth)
  const claims = await endpoint.sessionIds.open(sealer, id, context)
  if (claims?.transport !== transport) throw sessionNotFound(requestId)
  const { revision: named } = claims
  const revision = (named === undefined ? undefined : findRevision(named)) ?? OLDEST_SESSION
  return { id, claims, revision, sessions, sealer, context }
}

export function sessionNotFound(id?: RequestId): Refusal {
  const text = 'Session not found. Open a new session with initialize'
  return new Refusal('session-not-found', text, { id })
}
