/**
 * `GET /sse`, the one stream of the 2024-11-05 transport: it says where messages go, and carries
 * everything that comes back. A reader that lost it comes back to the same session.
 *
 * @see https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */
import { MAIN_STREAM, type SessionClaims } from '../../ports/sessions.ts'
import { NO_CAPABILITIES } from '../../protocol/capabilities.ts'
import { OLDEST_SESSION } from '../../protocol/revisions.ts'
import type { Exchange } from '../exchange.ts'
import { Refusal } from '../refusals.ts'
import { openEventId } from '../session/event-id.ts'
import { sessionNotFound } from '../session/find-session.ts'
import { openStream } from '../session/get-stream.ts'
import { createSessionName, principalContext, sealSessionId } from '../session/session-id.ts'
import type { StreamStart } from '../session/stream-response.ts'
import { endpointEvent } from '../sse/event.ts'

/**
 * @param messagesPath where this stream's messages are POSTed
 * @throws {Refusal}
 */
export async function handleConnect(exchange: Exchange, messagesPath: string): Promise<Response> {
  const { endpoint, services, accepted, request } = exchange
  const sealer = services.sealer()
  const sessions = services.sessions()
  if (sealer === undefined || sessions === undefined) throw sessionNotFound()
  if (request.method !== 'GET') {
    const text = `${request.method} is not served here`
    throw new Refusal('http-method-not-allowed', text, { headers: { allow: 'GET, OPTIONS' } })
  }
  // Clients of that revision often name no type at all.
  if (!accepted.sse && !accepted.json) {
    throw new Refusal('accepts-no-answer', 'A stream needs Accept: text/event-stream')
  }
  const context = principalContext(endpoint.audience, exchange.auth)
  const { claims, at } = (await resumed(exchange, context)) ?? {
    claims: newClaims(Date.now() + endpoint.limits.sessionLifetimeMs),
    at: { kind: 'main', after: 0, since: undefined } as const,
  }
  // The same text for the same session, whichever connection names it: its name is random enough.
  const id = await sealSessionId(sealer, claims, context, true)
  const session = { id, claims, revision: OLDEST_SESSION, sessions, sealer, context }
  const opening = endpointEvent(`${messagesPath}?sessionId=${id}`, endpoint.limits.retryMs)
  return openStream(exchange, session, MAIN_STREAM, at, opening)
}

interface Start {
  readonly claims: SessionClaims
  readonly at: Pick<StreamStart, 'kind' | 'after' | 'since'>
}

/** The session that a reader comes back to; undefined for a new one. */
async function resumed(
  { request, services }: Exchange,
  context: string,
): Promise<Start | undefined> {
  const lastEventId = request.headers.get('last-event-id')
  const sealer = services.sealer()
  if (lastEventId === null || lastEventId === '' || sealer === undefined) return undefined
  const eventId = await openEventId(sealer, lastEventId, context)
  if (eventId?.kind !== 'main' || eventId.expiresAt <= Date.now()) {
    throw new Refusal('event-id-malformed', 'Last-Event-ID names no event of a session here')
  }
  const { session: name, seq: after, since, expiresAt } = eventId
  return { claims: { ...newClaims(expiresAt), name }, at: { kind: 'main', after, since } }
}

/** What the client is, it says later. */
function newClaims(expiresAt: number): SessionClaims {
  return {
    name: createSessionName(),
    transport: 'http-sse',
    revision: undefined,
    clientInfo: undefined,
    clientCapabilities: NO_CAPABILITIES,
    expiresAt,
  }
}
