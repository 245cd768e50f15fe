/**
 * GET: a standalone stream of a session, or any of its streams taken up where it broke off.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#listening-for-messages-from-the-server
 */
import { ChangeBusFullError, type ChangeKind } from '../../ports/change-bus.ts'
import type { StreamKind, StreamReader, StreamReadRefusal } from '../../ports/sessions.ts'
import type { Exchange } from '../exchange.ts'
import { Refusal } from '../refusals.ts'
import { ChangeForwarder } from './change-forwarder.ts'
import { openEventId } from './event-id.ts'
import { type FoundSession, findSession, sessionNotFound } from './find-session.ts'
import { createSessionName } from './session-id.ts'
import { type StreamStart, streamResponse } from './stream-response.ts'

/** @throws {Refusal} */
export async function handleGet(exchange: Exchange, sessionId: string): Promise<Response> {
  if (!exchange.accepted.sseIfNeeded) {
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
  if (eventId === undefined || eventId.session !== session.claims.name) {
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
  const { claims, sessions } = session
  const line = await sessions.readStream({ claims, stream, ...at, live: false })
  if (typeof line === 'string') throw refusalOf(line)
  try {
    const carrier = carrierOf(exchange, session, at.kind)
    const isOpen = carrier === undefined || (await begin(exchange, carrier, line))
    return await streamResponse(exchange, session, stream, {
      ...at,
      since: carrier?.position ?? at.since,
      line: isOpen ? line : undefined,
      carrier,
      opening,
    })
  } catch (error) {
    line.close()
    throw error
  }
}

/** For a stream that may carry news. */
function carrierOf(
  { endpoint, services, auth }: Exchange,
  { revision }: FoundSession,
  kind: StreamKind,
): ChangeForwarder | undefined {
  const bus = services.changes()
  if (kind === 'answer' || bus === undefined) return undefined
  const { dispatcher, report } = endpoint
  const kinds: ChangeKind[] = [...dispatcher.changeKinds(revision)]
  // The older transport negotiates after its stream is open.
  if (revision.features.richAsks || kind === 'main') kinds.push('elicitation_complete')
  return new ChangeForwarder({
    bus,
    kinds,
    subject: auth?.subject,
    mayRead: (uri) => dispatcher.mayRead(uri, auth),
    onError: (error) => report({ type: 'internal-error', error }),
  })
}

/** The object says first whether it is this line's turn; false where the line has ended already. */
async function begin(
  { endpoint }: Exchange,
  carrier: ChangeForwarder,
  line: StreamReader,
): Promise<boolean> {
  const first = await line.next()
  try {
    await carrier.follow(first, line)
  } catch (error) {
    if (!(error instanceof ChangeBusFullError)) throw error
    // Better a stream without news than none: the older transport has no other.
    const { message } = error
    endpoint.report({ type: 'refusal', name: 'too-many-listeners', status: 200, message })
  }
  return first.kind !== 'end'
}

function refusalOf(why: StreamReadRefusal): Refusal {
  if (why === 'gone') return sessionNotFound()
  return why === 'ahead'
    ? new Refusal('event-id-ahead', 'Last-Event-ID names an event that has not happened')
    : new Refusal('event-id-pruned', 'What came after Last-Event-ID is no longer kept')
}
