/**
 * `GET` opens a standalone stream of a session, or resumes any of its streams after an event.
 *
 * A stream that has ended is refused with 405: official clients resume every stream that ended without a result, and
 * would repeat an empty answer until its log is deleted. 404 would end the session, 410 is retried. A stream that is
 * read is never closed for another one (429), because its client would come back.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#listening-for-messages-from-the-server
 */

import { clientNetwork } from '../../../platform/client-network.ts'
import { randomId } from '../../../platform/random-token.ts'
import type { ChangeBus } from '../../../ports/change-bus.ts'
import { changeKindsFor } from '../../../ports/change-kinds.ts'
import type { StreamKind, StreamReader, StreamReadRefusal } from '../../../ports/sessions.ts'
import type { RefusalName } from '../../../protocol/refusals.ts'
import { NEWEST_SESSION } from '../../../protocol/revisions.ts'
import { acceptsStream } from '../../../transport/answer-form.ts'
import { defineExchange } from '../../../transport/define-exchange.ts'
import type { DefinedExchange, Exchange } from '../../../transport/exchange.ts'
import { methodNotAllowed, Refusal } from '../../../transport/refusal.ts'
import { StreamDefinition } from '../../../transport/stream-definition.ts'
import { ChangeForwarder } from './change-forwarder.ts'
import { invalidEventId, readLastEventId } from './event-id.ts'
import { type FoundSession, findSession, sessionNotFound } from './find-session.ts'
import { listsDigest } from './lists-digest.ts'
import { type StreamStart, streamResponse } from './stream-response.ts'

/** `Allow` where `GET` is refused. */
const OTHER_METHODS = 'POST, DELETE, OPTIONS'

/** After this time, a stream whose Worker is gone gives its place to a new one. */
const STREAM_RETRY_SECONDS = 30

/** Where a connection begins to read a stream. */
export type StreamPosition = Pick<StreamStart, 'kind' | 'after' | 'since'>

/** @throws {Refusal} */
export async function handleGet(exchange: Exchange): Promise<Response> {
  const { headers } = exchange.request
  const sessionId = headers.get('mcp-session-id')
  // Only sessions have streams, so without one GET is not allowed.
  if (sessionId === null) throw methodNotAllowed('GET', OTHER_METHODS)
  if (!acceptsStream(exchange.accepted)) {
    throw new Refusal('not-acceptable', 'Accept must list text/event-stream')
  }
  const session = await findSession(exchange, sessionId, 'streamable-http')
  const eventId = await readLastEventId(headers, session.sealer, session.context)
  if (eventId === 'none') {
    const start = { kind: 'standalone', after: 0, since: undefined } as const
    return openStream(exchange, session, randomId(), start)
  }
  if (eventId === undefined || eventId.session !== session.claims.name) throw invalidEventId()
  const { stream, kind, seq: after, since } = eventId
  return openStream(exchange, session, stream, { kind, after, since })
}

/** @throws {Refusal} for a position that cannot be resumed, and at the limit of streams */
export async function openStream(
  exchange: Exchange,
  session: FoundSession,
  stream: string,
  at: StreamPosition,
  opening?: Uint8Array,
): Promise<Response> {
  const { claims, sessions } = session
  const bus = at.kind === 'answer' ? undefined : exchange.services.changes()
  // A stream without changes needs no definition, and opens for a caller whose definition fails.
  const defined = bus && (await defineExchange(exchange))
  const lists = defined && listsDigest(defined)
  const reader = await sessions.readStream({ claims, stream, ...at, lists, live: false })
  if (typeof reader === 'string') throw refused(reader)
  try {
    const forwarder = bus && defined && createForwarder(bus, defined, session, at.kind)
    if (forwarder !== undefined) await begin(exchange, forwarder, reader)
    return await streamResponse(exchange, session, stream, {
      ...at,
      since: forwarder?.position ?? at.since,
      reader,
      forwarder,
      lists,
      opening,
    })
  } catch (error) {
    reader.close()
    throw error
  }
}

function createForwarder(
  bus: ChangeBus,
  defined: DefinedExchange,
  { revision }: FoundSession,
  kind: StreamKind,
): ChangeForwarder {
  const { endpoint, auth, request } = defined
  const { report } = endpoint
  // The 2024-11-05 transport negotiates the revision after its stream is open: it may be any of a session.
  const reader = kind === 'main' ? NEWEST_SESSION : revision
  return new ChangeForwarder({
    bus,
    kinds: changeKindsFor(defined.dispatchers.under(revision).capabilities, reader),
    subject: auth?.subject,
    network: clientNetwork(request),
    definition: new StreamDefinition(defined),
    onError: (error) => report({ type: 'internal-error', error }),
  })
}

/** Applies the first election: whether this stream is primary. */
async function begin(
  { endpoint }: Exchange,
  forwarder: ChangeForwarder,
  reader: StreamReader,
): Promise<void> {
  const begun = await forwarder.follow(reader)
  if (begun.ok) return
  // The stream opens without changes: the 2024-11-05 transport has no other stream for its answers.
  const { error: message } = begun
  endpoint.report({ type: 'refusal', name: 'too-many-listeners', status: 200, message })
}

const REFUSED: Readonly<
  Record<
    Exclude<StreamReadRefusal, 'gone'>,
    readonly [RefusalName, string, Readonly<Record<string, string>>?]
  >
> = {
  ahead: ['event-id-ahead', 'Last-Event-ID names no event yet. Open the stream without it'],
  pruned: ['event-id-pruned', 'Events after Last-Event-ID are pruned. Open a new stream'],
  complete: [
    'stream-complete',
    'This stream has ended. It has no further events',
    { allow: OTHER_METHODS },
  ],
  full: [
    'too-many-streams',
    'This session has too many streams. Close one',
    { 'retry-after': String(STREAM_RETRY_SECONDS) },
  ],
}

function refused(why: StreamReadRefusal): Refusal {
  if (why === 'gone') return sessionNotFound()
  const [name, text, headers] = REFUSED[why]
  return new Refusal(name, text, { headers })
}
