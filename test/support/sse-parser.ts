/**
 * Parses server-sent events. Edgeway ends every line with LF, so CR is not supported.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */

/** The fields of one event as sent. A comment has no other field. */
export interface SseEvent {
  readonly id?: string
  readonly event?: string
  readonly retry?: string
  readonly data?: string
  readonly comment?: string
}

// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary members of the wire form
export type WireMessage = any

/** Parses bytes that may be cut anywhere. */
export class SseParser {
  readonly #decoder = new TextDecoder()
  /** The texts since the last complete event. Joined once: an event of many megabytes has hundreds of them. */
  #pieces: string[] = []
  #lastId: string

  /** @param since the last event id of an earlier connection */
  constructor(since = '') {
    this.#lastId = since
  }

  /** The id of the last complete event that has one, with which a client resumes. */
  get lastId(): string {
    return this.#lastId
  }

  /** Returns the events and comments that these bytes complete. */
  push(bytes: Uint8Array): SseEvent[] {
    const piece = this.#decoder.decode(bytes, { stream: true })
    // Bytes that only begin a character are no text yet.
    if (piece === '') return []
    const before = this.#pieces.at(-1)?.at(-1) ?? ''
    this.#pieces.push(piece)
    if (!(before + piece).includes('\n\n')) return []
    const text = this.#pieces.join('')
    const end = text.lastIndexOf('\n\n')
    const events = parseEvents(text.slice(0, end))
    this.#pieces = [text.slice(end + 2)]
    this.#lastId = events.findLast(({ id }) => id !== undefined)?.id ?? this.#lastId
    return events
  }
}

/** Parses the events and comments of a text that consists of complete events. */
export function parseEvents(text: string): SseEvent[] {
  return text.split('\n\n').filter(Boolean).map(parseEvent)
}

/** Parses the messages of a text that consists of complete events. */
export function parseMessages(text: string): WireMessage[] {
  return parseEvents(text).flatMap(({ data = '' }) => (data === '' ? [] : [JSON.parse(data)]))
}

function parseEvent(block: string): SseEvent {
  const fields: Record<string, string> = {}
  for (const line of block.split('\n')) {
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    const field = name === '' ? 'comment' : name
    // Several lines of data are one text.
    fields[field] = Object.hasOwn(fields, field) ? `${fields[field]}\n${value}` : value
  }
  return fields
}
