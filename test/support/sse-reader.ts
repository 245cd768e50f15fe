/** Reads the events of a response one at a time, as they arrive, in workerd and in Node. */
import { readAhead } from '../../packages/testing/src/wire-message.ts'
import { type SseEvent, SseParser, type WireMessage } from './sse-parser.ts'

export type { SseEvent, WireMessage }

export class SseReader {
  readonly #body: ReadableStreamDefaultReader<Uint8Array>
  readonly #parser = new SseParser()
  readonly #ids: string[] = []
  #unread: SseEvent[] = []

  /** @throws {TypeError} when the response is not an event stream */
  constructor({ status, headers, body }: Response) {
    const type = headers.get('content-type')
    if (body === null || type !== 'text/event-stream') {
      throw new TypeError(`No event stream: ${status} ${type}`)
    }
    this.#body = readAhead(body).getReader()
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
    while (this.#unread.length === 0) {
      const { done, value } = await this.#body.read()
      if (done) return undefined
      this.#unread = this.#parser.push(value)
    }
    const event = this.#unread.shift()
    if (event?.id !== undefined) this.#ids.push(event.id)
    return event
  }

  /** The data of the next event that has any; undefined at the end of the stream. */
  async data(): Promise<string | undefined> {
    for (;;) {
      const event = await this.next()
      if (event === undefined || (event.data !== undefined && event.data !== '')) return event?.data
    }
  }

  /** The next message; undefined at the end of the stream. */
  async message(): Promise<WireMessage> {
    const data = await this.data()
    return data === undefined ? undefined : JSON.parse(data)
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
    await this.#body.cancel()
  }
}

/** Reads the response to a request: JSON, or the last message of a stream. */
export async function readMessage(response: Response): Promise<WireMessage> {
  return response.headers.get('content-type') === 'text/event-stream'
    ? (await new SseReader(response).rest()).at(-1)
    : response.json()
}
