/**
 * From a stream's log to its reader: one event at a time, as fast as the reader takes them. A line
 * that breaks is opened again where it broke off, so that a deploy goes by unnoticed.
 */
import type {
  StreamItem,
  StreamReadEnd,
  StreamReader,
  StreamReadRefusal,
} from '../../ports/sessions.ts'
import { messageEventText } from '../sse/event.ts'
import type { ResponseStream } from '../sse/response-stream.ts'

type EventItem = Extract<StreamItem, { kind: 'event' }>

/** A page is sent when it has as much, in UTF-16 code units. */
const PAGE_LENGTH = 32 * 1024

const encoder = new TextEncoder()

export interface StreamSource {
  readonly eventId: (seq: number) => string
  readonly after: number
  readonly reader: StreamReader | undefined
  readonly opening: Uint8Array | undefined
  readonly connect: (after: number) => Promise<StreamReader | StreamReadRefusal>
  /** What is no event and no end. */
  readonly onItem: (item: StreamItem, line: StreamReader) => void
  readonly onError: (error: unknown) => void
}

/** Between two tries to open a line, growing; after the last the reader has to come back. */
const RETRY_DELAYS_MS = [0, 250, 1000, 4000]

/**
 * How much a reader takes before the object is told, in UTF-16 code units; each event counts for some
 * more. Far less than what the object waits for, and far more than an ordinary stream has.
 */
const TELL_EVERY = 64 * 1024
const EVENT_COST = 1024

/** Resolves when there is nothing more to send, or nobody to send it to. */
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
      const { end, seq } = await drain(stream, opened, after, source)
      if (seq > after) failures = 0
      after = seq
      if (end === 'behind') continue
      if (end !== 'lost') break
    } catch (error) {
      onError(error)
    }
    const delay = RETRY_DELAYS_MS[failures++]
    if (delay === undefined) break
    await new Promise((resolve) => setTimeout(resolve, delay))
  }
  await stream.close()
}

/** Sends what a line brings until it ends, and says why it did and how far it came. */
async function drain(
  stream: ResponseStream,
  line: StreamReader,
  after: number,
  { eventId, onItem }: StreamSource,
): Promise<{ readonly end: StreamReadEnd; readonly seq: number }> {
  let seq = after
  let untold = 0
  for (;;) {
    if (stream.isOver) {
      line.close()
      return { end: 'complete', seq }
    }
    const item = await line.next()
    if (item.kind === 'end') return { end: item.why, seq }
    if (item.kind !== 'event') {
      onItem(item, line)
      continue
    }
    const page = pageFrom(item, line, seq, eventId)
    if (page.text === '') continue
    await stream.sendEvent(encoder.encode(page.text))
    seq = page.seq
    untold += page.cost
    if (untold >= TELL_EVERY) {
      line.acknowledge(seq)
      untold = 0
    }
  }
}

/** What is waiting, in one piece: a log that is read again has hundreds of small events. */
function pageFrom(
  first: EventItem,
  line: StreamReader,
  after: number,
  eventId: StreamSource['eventId'],
): { readonly text: string; readonly seq: number; readonly cost: number } {
  let text = ''
  let cost = 0
  let seq = after
  for (let item: EventItem | undefined = first; item !== undefined; item = line.nextEvent()) {
    // An event that was on its way when the line broke may come twice.
    if (item.seq <= seq) continue
    text += messageEventText(item.data, eventId(item.seq))
    cost += item.data.length + EVENT_COST
    seq = item.seq
    if (text.length >= PAGE_LENGTH) break
  }
  return { text, seq, cost }
}
