/**
 * `GET /sse` opens the one stream of the 2024-11-05 transport. Its first event names the URL for
 * messages, and all responses arrive on it. A client that reconnects resumes the same session.
 *
 * @see https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */
import type { Sealer } from '../../ports/sealer.ts'
import { MAIN_STREAM, type SessionClaims } from '../../ports/sessions.ts'
import { NO_CAPABILITIES } from '../../protocol/capabilities.ts'
import { OLDEST_SESSION } from '../../protocol/revisions.ts'
import { acceptsHttpSseStream } from '../answer-form.ts'
import type { Handler } from '../endpoint.ts'
import type { Exchange } from '../exchange.ts'
import { Refusal } from '../refusal.ts'
import { invalidEventId, openEventId } from '../session/event-id.ts'
import { sessionNotFound } from '../session/find-session.ts'
import { openStream, type StreamPosition } from '../session/get-stream.ts'
import { createSessionName, principalContext, sealSessionId } from '../session/session-id.ts'
import { endpointEvent } from '../sse/event.ts'

/** Creates the handler for `streamPath`, which sends clients to `messagesPath`. */
export function createConnect(streamPath: string, messagesPath: string): Handler {
  return (exchange) => {
    // The app may be mounted under a prefix, which both paths then have.
    const pathname = new URL(exchange.request.url).pathname.replace(/\/$/, '')
    const base = pathname.endsWith(streamPath) ? pathname.slice(0, -streamPath.length) : ''
    // A path that begins with two slashes would name a host.
    return connect(exchange, `${base}${messagesPath}`.replace(/^\/{2,}/, '/'))
  }
}

async function connect(exchange: Exchange, messagesUrl: string): Promise<Response> {
  const { endpoint, services, accepted, request } = exchange
  const sealer = services.sealer()
  const sessions = services.sessions()
  if (sealer === undefined || sessions === undefined) throw sessionNotFound()
  if (!acceptsHttpSseStream(accepted)) {
    throw new Refusal('not-acceptable', 'Accept must list text/event-stream')
  }
  const context = principalContext(endpoint.audience, exchange.auth)
  const { claims, at } = (await resumedSession(request, sealer, context)) ?? {
    claims: newClaims(Date.now() + endpoint.limits.sessionLifetimeMs),
    at: { kind: 'main', after: 0, since: undefined } as const,
  }
  // Deterministic, so that every connection of a session has the same URL for messages. The random
  // name of the session keeps the seal unpredictable.
  const id = await sealSessionId(sealer, claims, context, true)
  const session = { id, claims, revision: OLDEST_SESSION, sessions, sealer, context }
  const opening = endpointEvent(`${messagesUrl}?sessionId=${id}`, endpoint.limits.retryMs)
  return openStream(exchange, session, MAIN_STREAM, at, opening)
}

interface ResumedSession {
  readonly claims: SessionClaims
  readonly at: StreamPosition
}

/** Returns the session of `Last-Event-ID`; undefined if the client opens a new one. */
async function resumedSession(
  { headers }: Request,
  sealer: Sealer,
  context: string,
): Promise<ResumedSession | undefined> {
  const lastEventId = headers.get('last-event-id')
  if (lastEventId === null || lastEventId === '') return undefined
  const eventId = await openEventId(sealer, lastEventId, context)
  if (eventId?.kind !== 'main' || eventId.expiresAt <= Date.now()) throw invalidEventId()
  const { session: name, seq: after, since, expiresAt } = eventId
  return { claims: { ...newClaims(expiresAt), name }, at: { kind: 'main', after, since } }
}

/** The client introduces itself after the session id is created, so these claims name no client. */
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
