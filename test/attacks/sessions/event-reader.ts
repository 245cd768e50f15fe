/** Reading a stream of events as a client does, one by one, with the ids it could come back with. */

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the wire holds
export type WireMessage = any

export class EventReader {
  readonly #reader: ReadableStreamDefaultReader<string>
  readonly #ids: string[] = []
  #text = ''

  /** @throws {TypeError} for anything but a stream of events */
  constructor({ status, headers, body }: Response) {
    if (body === null || headers.get('content-type') !== 'text/event-stream') {
      throw new TypeError(`No stream of events: ${status} ${headers.get('content-type')}`)
    }
    this.#reader = body.pipeThrough(new TextDecoderStream()).getReader()
  }

  /** Of the last event that had one, the priming event included. */
  get lastId(): string {
    return this.#ids.at(-1) ?? ''
  }

  get ids(): readonly string[] {
    return this.#ids
  }

  /** The data of the next event that has any; undefined at the end of the stream. */
  async data(): Promise<string | undefined> {
    for (;;) {
      const end = this.#text.indexOf('\n\n')
      if (end === -1) {
        const { done, value } = await this.#reader.read()
        if (done) return undefined
        this.#text += value
        continue
      }
      const lines = this.#text.slice(0, end).split('\n')
      this.#text = this.#text.slice(end + 2)
      const fieldOf = (name: string) =>
        lines.find((line) => line.startsWith(`${name}:`))?.slice(name.length + 2)
      const id = fieldOf('id')
      if (id !== undefined) this.#ids.push(id)
      const data = fieldOf('data')
      if (data !== undefined && data !== '') return data
    }
  }

  async message(): Promise<WireMessage> {
    const data = await this.data()
    return data === undefined ? undefined : JSON.parse(data)
  }

  /** The next message, or `silence` where none comes in time. */
  async messageWithin(ms: number): Promise<WireMessage> {
    const { promise, resolve } = Promise.withResolvers<string>()
    const timer = setTimeout(() => resolve('silence'), ms)
    const first = await Promise.race([this.message(), promise])
    clearTimeout(timer)
    return first
  }

  /** Every message up to the end of the stream. */
  async rest(): Promise<WireMessage[]> {
    const messages: WireMessage[] = []
    for (let next = await this.message(); next !== undefined; next = await this.message()) {
      messages.push(next)
    }
    return messages
  }

  /** Leaves, as a client does that has gone. */
  async leave(): Promise<void> {
    await this.#reader.cancel()
  }
}

/** The text of a tool's result, or the code of an error. */
export function inShort({ result, error }: WireMessage): string | number {
  return error === undefined
    ? result.content.map(({ text }: { readonly text: string }) => text).join()
    : error.code
}
