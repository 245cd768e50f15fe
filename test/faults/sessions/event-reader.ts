/** A client's end of one event stream: its messages, its last event id, and whether it has ended. */
import { SseParser } from '../../support/sse-parser.ts'
import { bounded } from './bounded.ts'
import type { Message } from './message.ts'

/** The stream ended before a message that was waited for. */
export class StreamEndedError extends Error {}

export class EventReader {
  readonly #body: ReadableStreamDefaultReader<Uint8Array>
  readonly #parser: SseParser
  readonly #messages: Message[] = []
  readonly #ids: string[] = []
  #endpoint: string | undefined
  #ended = false
  #paused: PromiseWithResolvers<void> | undefined
  #waiting: (() => void)[] = []

  /** @param since the last event id of an earlier connection */
  constructor({ body }: Response, since = '') {
    if (body === null) throw new TypeError('No stream')
    this.#body = body.getReader()
    this.#parser = new SseParser(since)
    void this.#read()
  }

  /** The messages received so far. */
  get messages(): readonly Message[] {
    return this.#messages
  }

  /** The event ids of the messages. */
  get ids(): readonly string[] {
    return this.#ids
  }

  /** The last event id, with which a client resumes. A priming event has one too. */
  get lastId(): string {
    return this.#parser.lastId
  }

  /** The path for messages, from the first event of the 2024-11-05 transport. */
  get endpoint(): string | undefined {
    return this.#endpoint
  }

  get ended(): boolean {
    return this.#ended
  }

  /** Resolves when the condition holds; checked after every read. @throws when the stream ends before */
  async until(holds: () => boolean, what: string, ms?: number): Promise<void> {
    const wait = async () => {
      while (!holds()) {
        if (this.#ended) throw new StreamEndedError(`The stream ended before: ${what}`)
        await this.#more()
      }
    }
    await bounded(wait(), what, ms)
  }

  /** Resolves when the stream has a last event id. */
  async primed(): Promise<void> {
    await this.until(() => this.lastId !== '', 'an event id')
  }

  /** Resolves with the message of an index. */
  async message(index: number): Promise<Message> {
    await this.until(() => this.#messages.length > index, `message ${index + 1} of a stream`)
    const message = this.#messages[index]
    if (message === undefined) throw new Error('No message at this index')
    return message
  }

  /** Reads to the end and returns all messages. */
  async rest(ms?: number): Promise<readonly Message[]> {
    const wait = async () => {
      while (!this.#ended) await this.#more()
    }
    await bounded(wait(), 'the end of a stream', ms)
    return this.#messages
  }

  /** Stops reading until `resume` is called. */
  pause(): void {
    this.#paused ??= Promise.withResolvers<void>()
  }

  resume(): void {
    this.#paused?.resolve()
    this.#paused = undefined
  }

  /** Closes the connection. */
  close(): void {
    // Cancelling a stream that broke rejects with the reason.
    void this.#body.cancel().catch(() => undefined)
  }

  /** Reads without being asked to, because the tests check what a client received by a moment. */
  async #read(): Promise<void> {
    for (;;) {
      await this.#paused?.promise
      // A reset counts as an end: the tests check what arrived before it.
      const { done, value } = await this.#body
        .read()
        .catch(() => ({ done: true, value: undefined }))
      if (done || value === undefined) break
      for (const { id, event, data } of this.#parser.push(value)) {
        if (data === undefined || data === '') continue
        if (event === 'endpoint') {
          this.#endpoint = data
          continue
        }
        this.#messages.push(JSON.parse(data))
        this.#ids.push(id ?? this.#parser.lastId)
      }
      this.#wake()
    }
    this.#ended = true
    this.#wake()
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
