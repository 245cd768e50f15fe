/**
 * Event ids: `<seal>~<number>`. The seal names a session, one of its streams and the position at which
 * its changes begin. The number is the place of the event in the log of that stream. The seal is bound
 * to the principal, so a forged or foreign id is refused in the Worker and wakes no object.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
 */
import { decodeUtf8, encodeUtf8 } from '../../../platform/utf8.ts'
import type { ChangePosition } from '../../../ports/change-bus.ts'
import type { Sealer } from '../../../ports/sealer.ts'
import { type SessionClaims, STREAM_KINDS, type StreamKind } from '../../../ports/sessions.ts'
import { Refusal } from '../../../transport/refusal.ts'

export interface StreamName {
  readonly session: string
  readonly stream: string
  readonly kind: StreamKind
  readonly since: ChangePosition | undefined
  /** The digest of the lists, on the one stream of the 2024-11-05 transport, whose session id precedes the handshake. */
  readonly lists: string | undefined
  /** Expiry of the session id: with the 2024-11-05 transport, a client that resumes sends no other id. */
  readonly expiresAt: number
}

export interface EventId extends StreamName {
  readonly seq: number
}

const MAX_ID_LENGTH = 1024

/** Returns a function that builds the ids of one stream's events. */
export async function createEventIds(
  sealer: Sealer,
  { name, expiresAt }: SessionClaims,
  { stream, kind, since, lists }: Pick<StreamName, 'stream' | 'kind' | 'since' | 'lists'>,
  context: string,
): Promise<(seq: number) => string> {
  const parts = [name, stream, kind.charAt(0), since ?? '', expiresAt.toString(36)]
  if (kind === 'main' && lists !== undefined) parts.push(lists)
  const seal = await sealer.seal('event-id/1', encodeUtf8(parts.join(' ')), context)
  return (seq) => `${seal}~${seq}`
}

/** Returns undefined for an id that this deployment has not sealed for this principal. */
export async function openEventId(
  sealer: Sealer,
  id: string,
  context: string,
): Promise<EventId | undefined> {
  const at = id.lastIndexOf('~')
  const number = id.slice(at + 1)
  if (at === -1 || id.length > MAX_ID_LENGTH || !/^(?:0|[1-9]\d{0,14})$/.test(number)) {
    return undefined
  }
  const plaintext = await sealer.open('event-id/1', id.slice(0, at), context)
  if (plaintext === undefined) return undefined
  const [session = '', stream = '', letter = '', since, expiry = '', lists] =
    decodeUtf8(plaintext).split(' ')
  const kind = STREAM_KINDS.find((each) => each.charAt(0) === letter)
  if (kind === undefined) return undefined
  return {
    session,
    stream,
    kind,
    since: since === '' ? undefined : since,
    lists,
    expiresAt: Number.parseInt(expiry, 36),
    seq: Number(number),
  }
}

/** Undefined for an id that this deployment has not sealed for this principal. */
export async function readLastEventId(
  headers: Headers,
  sealer: Sealer,
  context: string,
): Promise<EventId | 'none' | undefined> {
  // EventSource clients send an empty id when they have received no event with an id.
  const id = headers.get('last-event-id') ?? ''
  return id === '' ? 'none' : openEventId(sealer, id, context)
}

export function invalidEventId(): Refusal {
  const text = 'Last-Event-ID is not an event id of this session. Open the stream without it'
  return new Refusal('event-id-invalid', text)
}
