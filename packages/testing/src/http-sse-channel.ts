/** The transport of 2024-11-05: one stream that brings everything, and a URL for messages. */
import type { JsonObject } from '../../../src/protocol/json.ts'
import { type Channel, type ChannelOptions, type RequestSettings, subjectOf } from './channel.ts'
import { errorOf, getStream, postMessage } from './post-channel.ts'
import { HandshakeChannel } from './session-channel.ts'
import { eventsOf, type WireMessage } from './wire-message.ts'

type Params = Readonly<Record<string, unknown>>

interface Waiting {
  readonly subject: string
  readonly resolve: (message: WireMessage) => void
  readonly reject: (error: unknown) => void
}

/** @throws {McpError} with status 404 when the server does not serve this transport */
export async function openHttpSse(options: ChannelOptions): Promise<Channel> {
  const channel = new HttpSseChannel(options)
  await channel.open()
  return channel
}

class HttpSseChannel extends HandshakeChannel {
  readonly #waiting = new Map<unknown, Waiting>()
  #messagesUrl = ''

  async open(): Promise<void> {
    const { send, url } = this.options
    const { signal } = this.closed
    const events = eventsOf(await getStream(send, url, {}, signal), signal)
    const first = await events.next()
    if (first.done === true || first.value.event !== 'endpoint') {
      throw new Error('The stream did not begin with the URL for messages')
    }
    this.#messagesUrl = new URL(first.value.data, url).href
    this.#read(events).catch((error) => this.#end(error))
    await this.introduce(await this.#exchange('initialize', this.initializeParams))
  }

  async request(method: string, params: Params, settings?: RequestSettings): Promise<Params> {
    return (await this.#exchange(method, params, settings)).result ?? {}
  }

  override async close(): Promise<void> {
    await super.close()
    this.#end(new Error('The client is closed'))
  }

  async #exchange(
    method: string,
    params: Params,
    settings: RequestSettings = {},
  ): Promise<WireMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<WireMessage>()
    return this.cancellable(settings, reject, async (id) => {
      this.#waiting.set(id, { subject: subjectOf(method, params), resolve, reject })
      try {
        const posted = this.post({ id, method, params: params as JsonObject })
        const [message] = await Promise.all([promise, posted])
        return message
      } finally {
        this.#waiting.delete(id)
      }
    })
  }

  async #read(events: AsyncIterable<{ readonly data: string }>): Promise<void> {
    for await (const { data } of events) this.#route(JSON.parse(data))
    throw new Error('The stream has ended')
  }

  #route(message: WireMessage): void {
    if (message.method !== undefined) {
      // The stream does not say which request asks.
      const [only, ...others] = [...this.#waiting.values()].map(({ subject }) => subject)
      const asker = only !== undefined && others.length === 0 ? only : 'The server'
      void this.receive(message, asker).catch((error) => this.#end(error))
      return
    }
    const waiting = this.#waiting.get(message.id)
    if (message.error === undefined) waiting?.resolve(message)
    else waiting?.reject(errorOf({ status: 200, headers: new Headers() }, message, ''))
  }

  /** Rejects what waits for a response. */
  #end(error: unknown): void {
    for (const { reject } of this.#waiting.values()) reject(error)
  }

  protected override post(message: WireMessage): Promise<void> {
    return postMessage(this.options.send, this.#messagesUrl, message)
  }
}
