/**
 * Sends the log of a stream to its client: one event after the other, as fast as the client reads.
 * Opens the stream reader again where it broke off, so that a deploy does not interrupt the client.
 */
import { delay } from '../../../platform/deadline.ts'
import { encodeUtf8 } from '../../../platform/utf8.ts'
import type {
  StreamItem,
  StreamReadEnd,
  StreamReader,
  StreamReadRefusal,
} from '../../../ports/sessions.ts'
import { messageEventText } from '../../../transport/sse/event.ts'
import type { ResponseStream } from '../../../transport/sse/response-stream.ts'

type EventItem = Extract<StreamItem, { kind: 'event' }>

/** Events are written together up to this length, in UTF-16 code units. */
const PAGE_LENGTH = 32 * 1024

export interface StreamSource {
  readonly eventId: (seq: number) => string
  readonly after: number
  /** A reader that is already open. */
  readonly reader: StreamReader | undefined
  /** Sent before all events. */
  readonly opening: Uint8Array | undefined
  readonly connect: (after: number) => Promise<StreamReader | StreamReadRefusal>
  /** Whether the caller has lost its access, so that no event of the present reader may be sent. */
  readonly isRevoked: () => boolean
  readonly onError: (error: unknown) => void
  /** Called with each event that is sent. Undefined where nothing reads them. */
  readonly onEvent?: ((json: string, id: string) => void) | undefined
}

/** Delays before the attempts to open a reader. After the last one the client must reconnect. */
const RETRY_DELAYS_MS = [0, 250, 1000, 4000]

/**
 * Events are acknowledged each time this much is sent, in UTF-16 code units; each event counts for
 * `EVENT_COST` more. Far less than the session object sends without an acknowledgement, and far more
 * than most streams have.
 */
const ACKNOWLEDGE_AFTER = 64 * 1024
const EVENT_COST = 1024

/** Resolves when the stream is complete or its client has disconnected. */
export async function followStream(stream: ResponseStream, source: StreamSource): Promise<void> {
  const { opening, connect, onError } = source
  if (opening !== undefined) await stream.sendEvent(opening)
  let { reader, after } = source
  let failures = 0
  while (!stream.isOver) {
    try {
      const opened = reader ?? (await connect(after))
      reader = undefined
      if (typeof opened === 'string') break
      const { end, seq } = await sendAll(stream, opened, after, source)
      if (seq > after) failures = 0
      after = seq
      if (end === 'behind') continue
      if (end !== 'lost') break
    } catch (error) {
      onError(error)
    }
    const delayMs = RETRY_DELAYS_MS[failures++]
    if (delayMs === undefined) break
    await delay(delayMs)
  }
  await stream.close()
}

/** Sends the items of one reader until it ends. Returns why it ended, and the last event sent. */
async function sendAll(
  stream: ResponseStream,
  reader: StreamReader,
  after: number,
  { eventId, isRevoked, onEvent }: StreamSource,
): Promise<{ readonly end: StreamReadEnd; readonly seq: number }> {
  let seq = after
  let unacknowledged = 0
  for (;;) {
    if (stream.isOver) {
      reader.close()
      return { end: 'complete', seq }
    }
    const item = await reader.next()
    if (item.kind === 'end') return { end: item.why, seq }
    if (isRevoked()) {
      reader.close()
      return { end: 'lost', seq }
    }
    const page = readPage(item, reader, seq, eventId, onEvent)
    if (page.text === '') continue
    await stream.sendEvent(encodeUtf8(page.text))
    seq = page.seq
    unacknowledged += page.cost
    if (unacknowledged >= ACKNOWLEDGE_AFTER) {
      reader.acknowledge(seq)
      unacknowledged = 0
    }
  }
}

/** Joins the events that are already received: a replayed log has hundreds of small events. */
function readPage(
  first: EventItem,
  reader: StreamReader,
  after: number,
  eventId: StreamSource['eventId'],
  onEvent: StreamSource['onEvent'],
): { readonly text: string; readonly seq: number; readonly cost: number } {
  let text = ''
  let cost = 0
  let seq = after
  for (let item: EventItem | undefined = first; item !== undefined; item = reader.nextEvent()) {
    // An event that was in transit when the reader broke may arrive twice.
    if (item.seq <= seq) continue
    const id = eventId(item.seq)
    text += messageEventText(item.data, id)
    onEvent?.(item.data, id)
    cost += item.data.length + EVENT_COST
    seq = item.seq
    if (text.length >= PAGE_LENGTH) break
  }
  return { text, seq, cost }
}
