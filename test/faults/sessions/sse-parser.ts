/**
 * Parses server-sent events from bytes that may be cut anywhere, as a conforming client does.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */

export interface SseEvent {
  readonly id: string
  /** Default: `message`. */
  readonly type: string
  readonly data: string
}

export class SseParser {
  readonly #decoder = new TextDecoder()
  #text = ''
  #idBuffer: string
  #lastId: string

  /** @param since the last event id of an earlier connection */
  constructor(since = '') {
    this.#idBuffer = since
    this.#lastId = since
  }

  /** The id of the last complete event. */
  get lastId(): string {
    return this.#lastId
  }

  /** Returns the events with data that these bytes complete. */
  push(bytes: Uint8Array): SseEvent[] {
    this.#text += this.#decoder.decode(bytes, { stream: true })
    const events: SseEvent[] = []
    for (;;) {
      const end = this.#text.indexOf('\n\n')
      if (end === -1) return events
      const event = this.#dispatch(this.#text.slice(0, end))
      this.#text = this.#text.slice(end + 2)
      if (event.data !== '') events.push(event)
    }
  }

  #dispatch(block: string): SseEvent {
    const data: string[] = []
    let type = 'message'
    for (const line of block.split('\n')) {
      const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
      if (field === 'id') this.#idBuffer = value
      if (field === 'event') type = value
      if (field === 'data') data.push(value)
    }
    this.#lastId = this.#idBuffer
    return { id: this.#lastId, type, data: data.join('\n') }
  }
}
