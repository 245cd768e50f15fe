/** The transport of 2024-11-05: one stream that brings everything, and a URL for messages. */
import type { JsonObject } from '../protocol/json.ts'
import {
  type Channel,
  type ChannelOptions,
  type ListenFilter,
  type RequestSettings,
  type ServerIntroduction,
  subjectOf,
} from './channel.ts'
import { UnansweredAskError } from './errors.ts'
import { errorOf, getStream, postMessage } from './post-channel.ts'
import { introductionOf } from './session-channel.ts'
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

class HttpSseChannel implements Channel {
  /** Set before the channel is used. */
  introduction!: ServerIntroduction
  readonly #options: ChannelOptions
  readonly #closed = new AbortController()
  readonly #waiting = new Map<unknown, Waiting>()
  readonly #listeners = new Set<(message: WireMessage) => void>()
  #messagesUrl = ''
  /** Sent for asks without an answer. */
  readonly #refusals: Promise<void>[] = []
  #lastId = 0

  constructor(options: ChannelOptions) {
    this.#options = options
  }

  async open(): Promise<void> {
    const { send, url, revision, clientInfo, capabilities, logLevel } = this.#options
    const { signal } = this.#closed
    const events = eventsOf(await getStream(send, url, {}, signal), signal)
    const first = await events.next()
    if (first.done === true || first.value.event !== 'endpoint') {
      throw new Error('The stream did not begin with the URL for messages')
    }
    this.#messagesUrl = new URL(first.value.data, url).href
    this.#read(events).catch((error) => this.#end(error))
    const params = { protocolVersion: revision.id, capabilities, clientInfo }
    const response = await this.#exchange('initialize', params)
    this.introduction = introductionOf(this.#options, response)
    await this.#post({ method: 'notifications/initialized' })
    if (logLevel !== undefined) await this.request('logging/setLevel', { level: logLevel })
  }

  async request(method: string, params: Params, settings?: RequestSettings): Promise<Params> {
    return (await this.#exchange(method, params, settings)).result ?? {}
  }

  async listen(
    { resourceSubscriptions = [] }: ListenFilter,
    onChange: (message: WireMessage) => void,
  ): Promise<() => void> {
    this.#listeners.add(onChange)
    for (const uri of resourceSubscriptions) await this.request('resources/subscribe', { uri })
    return () => this.#listeners.delete(onChange)
  }

  async close(): Promise<void> {
    await Promise.all(this.#refusals)
    this.#closed.abort()
    this.#end(new Error('The client is closed'))
  }

  async #exchange(
    method: string,
    params: Params,
    { signal }: RequestSettings = {},
  ): Promise<WireMessage> {
    signal?.throwIfAborted()
    this.#lastId += 1
    const id = this.#lastId
    const { promise, resolve, reject } = Promise.withResolvers<WireMessage>()
    this.#waiting.set(id, { subject: subjectOf(method, params), resolve, reject })
    const cancelled = () => {
      reject(signal?.reason)
      const message = { method: 'notifications/cancelled', params: { requestId: id } }
      // A server that has answered meanwhile ignores it.
      this.#post(message).catch(() => undefined)
    }
    signal?.addEventListener('abort', cancelled, { once: true })
    try {
      const posted = this.#post({ id, method, params: params as JsonObject })
      const [message] = await Promise.all([promise, posted])
      return message
    } finally {
      signal?.removeEventListener('abort', cancelled)
      this.#waiting.delete(id)
    }
  }

  async #read(events: AsyncIterable<{ readonly data: string }>): Promise<void> {
    for await (const { data } of events) this.#receive(JSON.parse(data))
    throw new Error('The stream has ended')
  }

  #receive(message: WireMessage): void {
    const { id, method, params = {} } = message
    if (method === undefined) {
      const waiting = this.#waiting.get(id)
      if (message.error === undefined) waiting?.resolve(message)
      else waiting?.reject(errorOf({ status: 200, headers: new Headers() }, message, ''))
    } else if (id === undefined || id === null) {
      this.#options.onNotification(message)
      for (const listener of this.#listeners) listener(message)
    } else {
      void this.#answer(id, method, params).catch((error) => this.#end(error))
    }
  }

  async #answer(id: string | number, method: string, params: JsonObject): Promise<void> {
    // The stream does not say which request asks.
    const [only, ...others] = [...this.#waiting.values()].map(({ subject }) => subject)
    const asker = only !== undefined && others.length === 0 ? only : 'The server'
    try {
      const result = await this.#options.answer(asker, { method, params, key: undefined })
      await this.#post({ id, result: result as JsonObject })
    } catch (error) {
      // The handler would otherwise wait for an answer that never comes. The call fails before: its result
      // would say that the client did not answer.
      if (error instanceof UnansweredAskError) {
        const refusal = { code: -1, message: 'The test has no answer' }
        this.#refusals.push(this.#post({ id, error: refusal }).catch(() => undefined))
      }
      throw error
    }
  }

  /** Rejects what waits for a response. */
  #end(error: unknown): void {
    for (const { reject } of this.#waiting.values()) reject(error)
  }

  #post(message: WireMessage): Promise<void> {
    return postMessage(this.#options.send, this.#messagesUrl, message)
  }
}
