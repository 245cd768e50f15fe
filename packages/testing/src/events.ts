/** The methods of MCP Events as a test calls them: `client.events`. Streams are in `event-stream.ts`. */
import type { DeliveryMode, DeliveryStatus, PollResult } from '../../../src/protocol/events.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import type { Channel } from './channel.ts'
import { EventStream } from './event-stream.ts'

/** An event type by its name, or as it was defined. */
export type EventTypeName = string | { readonly name: string }

/** An event type as `events/list` describes it. */
export interface EventDescriptor {
  readonly name: string
  readonly description?: string
  readonly delivery: readonly DeliveryMode[]
  readonly inputSchema: JsonObject
  readonly payloadSchema: JsonObject
  readonly _meta?: JsonObject
}

export interface EventReadOptions {
  /** Default: none are sent. */
  readonly arguments?: object
  /** Default: null, from now. */
  readonly cursor?: string | null
  readonly maxAgeMs?: number
  readonly signal?: AbortSignal
}

export interface PollOptions extends EventReadOptions {
  readonly maxEvents?: number
}

/** Where deliveries go. A receiver of `createEventReceiver` is one. */
export interface Callback {
  readonly url: string
  readonly secret: string
}

export interface SubscribeOptions {
  readonly callback: Callback
  readonly arguments?: object
  readonly cursor?: string | null
  readonly maxAgeMs?: number
  /** null: no expiry is wanted. Default: none is sent. */
  readonly ttlMs?: number | null
}

export interface SubscribeResult {
  readonly id: string
  /** ISO 8601; null: the subscription does not expire. */
  readonly refreshBefore: string | null
  readonly cursor: string | null
  readonly truncated: boolean
  readonly deliveryStatus?: DeliveryStatus
}

export interface UnsubscribeOptions {
  readonly callback: Pick<Callback, 'url'>
  readonly arguments?: object
}

/** Every method rejects with an `McpError` when the server refuses the request. */
export class TestEvents {
  readonly #channel: Channel

  /** @internal */
  constructor(channel: Channel) {
    this.#channel = channel
  }

  /** All event types, of all pages. */
  async list(): Promise<EventDescriptor[]> {
    const types: EventDescriptor[] = []
    let cursor: unknown
    do {
      const page = await this.#channel.request(
        'events/list',
        cursor === undefined ? {} : { cursor },
      )
      types.push(...(page.events as EventDescriptor[]))
      cursor = page.nextCursor
    } while (cursor !== undefined)
    return types
  }

  /** One poll. Without a cursor it returns no events, and the cursor for the next one. */
  async poll(type: EventTypeName, { signal, ...options }: PollOptions = {}): Promise<PollResult> {
    const params = { name: nameOf(type), cursor: null, ...options }
    const result = await this.#channel.request('events/poll', params, { signal })
    return result as unknown as PollResult
  }

  /** Opens a stream, and resolves when the server has confirmed it. Revision 2026-07-28 only. */
  async stream(
    type: EventTypeName,
    { signal, ...options }: EventReadOptions = {},
  ): Promise<EventStream> {
    const controller = new AbortController()
    const abort = () => controller.abort(signal?.reason)
    if (signal?.aborted) abort()
    signal?.addEventListener('abort', abort, { once: true })
    const stream = new EventStream(abort)
    const params = { name: nameOf(type), cursor: null, ...options }
    const ended = this.#channel.stream('events/stream', params, {
      signal: controller.signal,
      onMessage: (message) => stream.push(message),
    })
    stream.follow(ended.finally(() => signal?.removeEventListener('abort', abort)))
    await stream.opened
    return stream
  }

  /** Subscribes a callback, or refreshes its subscription. The server may send a challenge before it answers. */
  async subscribe(
    type: EventTypeName,
    { callback, ...options }: SubscribeOptions,
  ): Promise<SubscribeResult> {
    const { url, secret } = callback
    const delivery = { mode: 'webhook', url, secret }
    const params = { name: nameOf(type), delivery, cursor: null, ...options }
    return (await this.#channel.request('events/subscribe', params)) as unknown as SubscribeResult
  }

  async unsubscribe(
    type: EventTypeName,
    { callback, ...options }: UnsubscribeOptions,
  ): Promise<void> {
    const params = { name: nameOf(type), delivery: { url: callback.url }, ...options }
    await this.#channel.request('events/unsubscribe', params)
  }
}

function nameOf(type: EventTypeName): string {
  return typeof type === 'string' ? type : type.name
}
