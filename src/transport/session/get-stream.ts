/**
 * GET: a standalone stream of a session, or any of its streams taken up where it broke off.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#listening-for-messages-from-the-server
 */
import { ChangeBusFullError, type ChangeKind } from '../../ports/change-bus.ts'
import type { SessionLine, StreamKind, TailRefusal } from '../../ports/sessions.ts'
import type { Exchange } from '../exchange.ts'
import { Refusal } from '../refusals.ts'
import { openEventId } from './event-id.ts'
import { type FoundSession, findSession, sessionNotFound } from './find-session.ts'
import { NewsCarrier } from './news-carrier.ts'
import { createSessionName } from './session-id.ts'
import { type StreamStart, streamResponse } from './stream-response.ts'

/** How long a client that found no room should wait. */
const RETRY_AFTER_SECONDS = '30'

/** @throws {Refusal} */
export async function handleGet(exchange: Exchange, sessionId: string): Promise<Response> {
  if (!exchange.accepted.sse) {
    throw new Refusal('accepts-no-answer', 'A stream needs Accept: text/event-stream')
  }
  const session = await findSession(exchange, sessionId, 'streamable-http')
  const lastEventId = exchange.request.headers.get('last-event-id')
  // An empty one is how a reader says that it has had no event with an id.
  if (lastEventId === null || lastEventId === '') {
    const start = { kind: 'standalone', after: 0, since: undefined } as const
    return openStream(exchange, session, createSessionName(), start)
  }
  const eventId = await openEventId(session.sealer, lastEventId, session.context)
  if (eventId === undefined || eventId.session !== session.facts.name) {
    throw new Refusal('event-id-malformed', 'Last-Event-ID names no event of this session')
  }
  const { stream, kind, seq: after, since } = eventId
  return openStream(exchange, session, stream, { kind, after, since })
}

/** @throws {Refusal} for a position that cannot be taken up */
export async function openStream(
  exchange: Exchange,
  session: FoundSession,
  stream: string,
  at: Pick<StreamStart, 'kind' | 'after' | 'since'>,
  opening?: Uint8Array,
): Promise<Response> {
  const { facts, sessions } = session
  const line = await sessions.tail({ facts, stream, ...at })
  if (typeof line === 'string') throw refusalOf(line)
  try {
    const carrier = await carrierOf(exchange, session, at.kind, line)
    const since = carrier?.position ?? at.since
    return await streamResponse(exchange, session, stream, {
      ...at,
      since,
      line,
      carrier,
      opening,
    })
  } catch (error) {
    line.close()
    if (!(error instanceof ChangeBusFullError)) throw error
    const headers = { 'retry-after': RETRY_AFTER_SECONDS }
    throw new Refusal('too-many-listeners', error.message, { headers })
  }
}

/** For a stream that may carry news: the object says first whether it is the one that does. */
async function carrierOf(
  { endpoint, services, auth }: Exchange,
  { revision }: FoundSession,
  kind: StreamKind,
  line: SessionLine,
): Promise<NewsCarrier | undefined> {
  const bus = services.changes()
  if (kind === 'answer' || bus === undefined) return undefined
  const { dispatcher, report } = endpoint
  const kinds: ChangeKind[] = [...dispatcher.changeKinds(revision)]
  if (revision.features.richAsks) kinds.push('elicitation')
  const carrier = new NewsCarrier({
    bus,
    kinds,
    subject: auth?.subject,
    mayRead: (uri) => dispatcher.mayRead(uri, auth),
    onLost: () => line.close(),
    onError: (error) => report({ type: 'internal-error', error }),
  })
  const first = await line.next()
  await carrier.follow(first, line)
  return carrier
}

function refusalOf(why: TailRefusal): Refusal {
  if (why === 'gone') return sessionNotFound()
  return why === 'ahead'
    ? new Refusal('event-id-ahead', 'Last-Event-ID names an event that has not happened')
    : new Refusal('event-id-pruned', 'What came after Last-Event-ID is no longer kept')
}
