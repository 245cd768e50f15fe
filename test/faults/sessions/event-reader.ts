/** A client's end of one stream of events: what has come, where it stands, and how it ended. */
import type { IncomingMessage } from 'node:http'
import { bounded } from './bounded.ts'
import type { Message } from './message.ts'
import { SseParser } from './sse-parser.ts'

export class EventReader {
  readonly #response: IncomingMessage
  readonly #parser: SseParser
  readonly #messages: Message[] = []
  readonly #ids: string[] = []
  #endpoint: string | undefined
  #bytes = 0
  #ended = false
  #waiting: (() => void)[] = []

  /** @param since what the client came back with: it keeps it until it has another */
  constructor(response: IncomingMessage, since = '') {
    this.#response = response
    this.#parser = new SseParser(since)
    response.on('data', (bytes: Buffer) => {
      this.#bytes += bytes.length
      for (const { id, type, data } of this.#parser.push(bytes)) {
        if (type === 'endpoint') {
          this.#endpoint = data
          continue
        }
        this.#messages.push(JSON.parse(data))
        this.#ids.push(id)
      }
      this.#wake()
    })
    const end = () => {
      this.#ended = true
      this.#wake()
    }
    // A reset is an end like any other here; what matters is what had arrived by then.
    response.on('end', end).on('error', end).on('close', end)
  }

  /** Everything that has come so far. */
  get messages(): readonly Message[] {
    return this.#messages
  }

  /** Of each message. */
  get ids(): readonly string[] {
    return this.#ids
  }

  /** What a client would come back with; the priming event counts. */
  get lastId(): string {
    return this.#parser.lastId
  }

  /** Where messages go, as the older transport says first. */
  get endpoint(): string | undefined {
    return this.#endpoint
  }

  /** How many have been read. */
  get bytes(): number {
    return this.#bytes
  }

  get ended(): boolean {
    return this.#ended
  }

  /** Resolves once it holds, after any bytes that have come. @throws when the stream ends before */
  async until(holds: () => boolean, what: string, ms?: number): Promise<void> {
    const wait = async () => {
      while (!holds()) {
        if (this.#ended) throw new Error(`The stream ended before: ${what}`)
        await this.#more()
      }
    }
    await bounded(wait(), what, ms)
  }

  /** Resolves once there is something to come back with. */
  async primed(): Promise<void> {
    await this.until(() => this.lastId !== '', 'an event id')
  }

  /** The message of a number, once it is there. */
  async message(index: number): Promise<Message> {
    await this.until(() => this.#messages.length > index, `message ${index + 1} of a stream`)
    const message = this.#messages[index]
    if (message === undefined) throw new Error('It was there a moment ago')
    return message
  }

  /** Reads to the end; all messages. */
  async rest(ms?: number): Promise<readonly Message[]> {
    const wait = async () => {
      while (!this.#ended) await this.#more()
    }
    await bounded(wait(), 'the end of a stream', ms)
    return this.#messages
  }

  /** Takes nothing any more, until told to go on. */
  pause(): void {
    this.#response.pause()
  }

  goOn(): void {
    this.#response.resume()
  }

  /** Closes the connection, as a client does that has gone. */
  leave(): void {
    this.#response.destroy()
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
    })
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake()
  }
}
