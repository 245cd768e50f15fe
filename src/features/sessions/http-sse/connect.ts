/**
 * `GET /sse` opens the one stream of the 2024-11-05 transport. Its first event names the URL for
 * messages, and all responses arrive on it. A client that reconnects resumes the same session.
 *
 * @see https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */
import type { Sealer } from '../../../ports/sealer.ts'
import { MAIN_STREAM, type SessionClaims } from '../../../ports/sessions.ts'
import type { FactoryParams } from '../../../protocol/factory-params.ts'
import { principalContext } from '../../../protocol/principal.ts'
import { OLDEST_SESSION } from '../../../protocol/revisions.ts'
import { acceptsHttpSseStream } from '../../../transport/answer-form.ts'
import type { Handler } from '../../../transport/endpoint.ts'
import type { PathPattern } from '../../../transport/endpoint-paths.ts'
import type { Exchange } from '../../../transport/exchange.ts'
import { Refusal } from '../../../transport/refusal.ts'
import { endpointEvent } from '../../../transport/sse/event.ts'
import { invalidEventId, readLastEventId } from '../transport/event-id.ts'
import { sessionNotFound } from '../transport/find-session.ts'
import { openStream, type StreamPosition } from '../transport/get-stream.ts'
import { newClaims, sealSessionId } from '../transport/session-id.ts'

/** Creates the handler of a stream, which sends clients to a path for messages with the same params. */
export function createConnect(stream: PathPattern, messages: PathPattern): Handler {
  return (exchange) => {
    const { pathname, search } = new URL(exchange.request.url)
    return connect(exchange, stream.translate(pathname, messages), search)
  }
}

async function connect(
  exchange: Exchange,
  messagesPath: string,
  search: string,
): Promise<Response> {
  const { endpoint, services, accepted, request } = exchange
  const sealer = services.sealer()
  const sessions = services.sessions()
  if (sealer === undefined || sessions === undefined) throw sessionNotFound()
  if (!acceptsHttpSseStream(accepted)) {
    throw new Refusal('not-acceptable', 'Accept must list text/event-stream')
  }
  const { auth, factoryParams: params } = exchange
  const context = principalContext(endpoint.audience, auth)
  // Event ids are bound to the params too: a session that is resumed keeps its own.
  const eventContext = principalContext(endpoint.audience, auth, params)
  const { claims, at, lists }: ResumedSession = (await resumedSession(
    request,
    params,
    sealer,
    eventContext,
  )) ?? {
    claims: newClaims('http-sse', params, Date.now() + sessions.limits.lifetimeMs),
    at: { kind: 'main', after: 0, since: undefined },
  }
  const id = await sealSessionId(sealer, claims, context)
  exchange.recording?.inSession(claims)
  const session = {
    id,
    claims: { ...claims, lists },
    revision: OLDEST_SESSION,
    sessions,
    sealer,
    context: eventContext,
  }
  const messagesUrl = `${messagesPath}?sessionId=${id}${furtherQuery(search)}`
  const opening = endpointEvent(messagesUrl, sessions.limits.retryMs)
  return openStream(exchange, session, MAIN_STREAM, at, opening)
}

/**
 * The query of the stream's URL for the URL of messages, where code in front may read it: a client knows one URL
 * only, and adds nothing to the other.
 */
function furtherQuery(search: string): string {
  const isOwn = (part: string) => new URLSearchParams(part).has('sessionId')
  const parts = search.slice(1).split('&')
  return parts
    .filter((part) => part !== '' && !isOwn(part))
    .map((part) => `&${part}`)
    .join('')
}

interface ResumedSession {
  readonly claims: SessionClaims
  readonly at: StreamPosition
  /** The digest of the lists that the client knows. The session id, which is the same for each connection, has none. */
  readonly lists?: string | undefined
}

/** Returns the session of `Last-Event-ID`; undefined if the client opens a new one. */
async function resumedSession(
  { headers }: Request,
  params: FactoryParams,
  sealer: Sealer,
  context: string,
): Promise<ResumedSession | undefined> {
  const eventId = await readLastEventId(headers, sealer, context)
  if (eventId === 'none') return undefined
  if (eventId?.kind !== 'main' || eventId.expiresAt <= Date.now()) throw invalidEventId()
  const { session: name, seq: after, since, lists, expiresAt } = eventId
  return {
    claims: { ...newClaims('http-sse', params, expiresAt), name },
    at: { kind: 'main', after, since },
    lists,
  }
}
