/** Reads server-sent events one at a time, as they arrive. */

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

export class SseReader {
  readonly #reader: ReadableStreamDefaultReader<string>
  readonly #ids: string[] = []
  #text = ''

  /** @throws {TypeError} when the response is not an event stream */
  constructor({ status, headers, body }: Response) {
    const type = headers.get('content-type')
    if (body === null || type !== 'text/event-stream') {
      throw new TypeError(`No event stream: ${status} ${type}`)
    }
    this.#reader = body.pipeThrough(new TextDecoderStream()).getReader()
  }

  /** The ids of all events read so far, including the priming event. */
  get ids(): readonly string[] {
    return this.#ids
  }

  /** The value that a client would send as `Last-Event-ID`. */
  get lastId(): string {
    return this.#ids.at(-1) ?? ''
  }

  /** The next event or comment; undefined at the end of the stream. */
  async next(): Promise<SseEvent | undefined> {
    for (;;) {
      const end = this.#text.indexOf('\n\n')
      if (end !== -1) {
        const event = parseEvent(this.#text.slice(0, end))
        this.#text = this.#text.slice(end + 2)
        if (event.id !== undefined) this.#ids.push(event.id)
        return event
      }
      const { done, value } = await this.#reader.read()
      if (done) return undefined
      this.#text += value
    }
  }

  /** The next message; undefined at the end of the stream. */
  async message(): Promise<WireMessage> {
    for (;;) {
      const event = await this.next()
      if (event === undefined) return undefined
      if (event.data !== undefined && event.data !== '') return JSON.parse(event.data)
    }
  }

  /** Every message up to the end of the stream. */
  async rest(): Promise<WireMessage[]> {
    const messages: WireMessage[] = []
    for (;;) {
      const message = await this.message()
      if (message === undefined) return messages
      messages.push(message)
    }
  }

  /** Closes the connection, as a client that disconnects. */
  async leave(): Promise<void> {
    await this.#reader.cancel()
  }
}

function parseEvent(text: string): SseEvent {
  const fields = text.split('\n').map((line) => {
    if (line.startsWith(':')) return ['comment', line.slice(1).trim()]
    const [name = '', ...value] = line.split(':')
    return [name, value.join(':').replace(/^ /, '')]
  })
  return Object.fromEntries(fields)
}
