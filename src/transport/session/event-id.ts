/**
 * Event ids: `<seal>~<number>`. The seal names a session, one of its streams and where its news
 * began; the number is the place in that stream's log. So an id of another stream, another session
 * or another principal cannot be made, and one that was made up wakes no object.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
 */
import type { ChangePosition } from '../../ports/change-bus.ts'
import type { Sealer } from '../../ports/sealer.ts'
import type { SessionClaims, StreamKind } from '../../ports/sessions.ts'

export interface StreamName {
  readonly session: string
  readonly stream: string
  readonly kind: StreamKind
  readonly since: ChangePosition | undefined
  /** When the session's id expires: the older transport sends no other. */
  readonly expiresAt: number
}

export interface EventId extends StreamName {
  readonly seq: number
}

const MAX_ID_LENGTH = 1024

const encoder = new TextEncoder()
const decoder = new TextDecoder()

const KINDS: Readonly<Record<string, StreamKind>> = { a: 'answer', s: 'standalone', m: 'main' }

/** Makes the ids of one stream's events. */
export async function createEventIds(
  sealer: Sealer,
  { name, expiresAt }: SessionClaims,
  { stream, kind, since }: Pick<StreamName, 'stream' | 'kind' | 'since'>,
  context: string,
): Promise<(seq: number) => string> {
  const parts = [name, stream, kind.charAt(0), since ?? '', expiresAt.toString(36)]
  const seal = await sealer.seal('event-id', encoder.encode(parts.join(' ')), context)
  return (seq) => `${seal}~${seq}`
}

/** Undefined for anything that was not made here for this principal. */
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
  const plaintext = await sealer.open('event-id', id.slice(0, at), context)
  if (plaintext === undefined) return undefined
  const [session = '', stream = '', letter = '', since, expiry = ''] = decoder
    .decode(plaintext)
    .split(' ')
  return {
    session,
    stream,
    kind: KINDS[letter] ?? 'answer',
    since: since === '' ? undefined : since,
    expiresAt: Number.parseInt(expiry, 36),
    seq: Number(number),
  }
}
