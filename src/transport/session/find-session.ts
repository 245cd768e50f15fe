/** From the id that a client sent to its session: one lookup for every method, one refusal for every fault. */
import type { Sealer } from '../../ports/sealer.ts'
import type { SessionClaims, Sessions } from '../../ports/sessions.ts'
import type { RequestId } from '../../protocol/json-rpc.ts'
import { findRevision, OLDEST_SESSION, type Revision } from '../../protocol/revisions.ts'
import type { Exchange } from '../exchange.ts'
import { Refusal } from '../refusals.ts'
import { principalContext } from './session-id.ts'

export interface FoundSession {
  /** As the client sent it. */
  readonly id: string
  readonly claims: SessionClaims
  readonly revision: Revision
  readonly sessions: Sessions
  readonly sealer: Sealer
  /** What its seals are bound to. */
  readonly context: string
}

/**
 * Unknown, forged, expired, foreign and ended ids are told apart by nobody.
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
  const { revision } = claims
  const spoken = (revision === undefined ? undefined : findRevision(revision)) ?? OLDEST_SESSION
  return { id, claims, revision: spoken, sessions, sealer, context }
}

export function sessionNotFound(id?: RequestId): Refusal {
  return new Refusal('session-not-found', 'Session not found: initialize a new one', { id })
}
