/**
 * Streamable HTTP of the session eras: a handshake, then requests in its session, or each on its own where
 * the server opens none.
 */

import type { JsonObject } from '../../../src/protocol/json.ts'
import { MODERN } from '../../../src/protocol/revisions.ts'
import { McpError } from '../../client/src/mcp-error.ts'
import {
  type Channel,
  type ChannelOptions,
  type ListenFilter,
  type RequestSettings,
  readIntroduction,
  type ServerIntroduction,
  subjectOf,
} from './channel.ts'
import { getStream, postMessage, postRequest } from './post-channel.ts'
import { eventsOf, type WireMessage } from './wire-message.ts'

type Params = Readonly<Record<string, unknown>>

/** What the transports of the session eras share: the handshake, asks on a stream, and changes on it. */
export abstract class HandshakeChannel implements Channel {
  /** Set before the channel is used. */
  introduction!: ServerIntroduction
  protected readonly options: ChannelOptions
  protected readonly closed = new AbortController()
  readonly #listeners = new Set<(message: WireMessage) => void>()
  /** Sent for asks without an answer. */
  readonly #refusals: Promise<void>[] = []
  #lastId = 0

  constructor(options: ChannelOptions) {
    this.options = options
  }

  abstract request(method: string, params: Params, settings?: RequestSettings): Promise<Params>

  protected abstract post(message: WireMessage): Promise<void>

  protected get initializeParams(): JsonObject {
    const { revision, clientInfo, capabilities } = this.options
    return { protocolVersion: revision.id, capabilities, clientInfo } as JsonObject
  }

  /**
   * Ends the handshake with the response to `initialize`.
   *
   * @throws {Error} when the server negotiates another revision
   */
  protected async introduce({ result = {} }: WireMessage): Promise<void> {
    const { revision, logLevel } = this.options
    if (result.protocolVersion !== revision.id) {
      throw new Error(`The server negotiated ${result.protocolVersion} instead of ${revision.id}`)
    }
    this.introduction = readIntroduction(result.serverInfo, result)
    await this.post({ method: 'notifications/initialized' })
    if (logLevel !== undefined) await this.request('logging/setLevel', { level: logLevel })
  }

  /** Sends a request with a new id. When its signal aborts, it is cancelled here and at the server. */
  protected async cancellable<T>(
    { signal }: RequestSettings,
    cancel: (reason: unknown) => void,
    send: (id: number) => Promise<T>,
  ): Promise<T> {
    signal?.throwIfAborted()
    this.#lastId += 1
    const id = this.#lastId
    const cancelled = () => {
      cancel(signal?.reason)
      const message = { method: 'notifications/cancelled', params: { requestId: id } }
      // A server that has answered meanwhile ignores it.
      this.post(message).catch(() => undefined)
    }
    signal?.addEventListener('abort', cancelled, { once: true })
    try {
      return await send(id)
    } finally {
      signal?.removeEventListener('abort', cancelled)
    }
  }

  async stream(method: string): Promise<never> {
    throw new Error(`${method} needs revision ${MODERN.id}: connect without the option revision`)
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
    this.closed.abort()
  }

  /**
   * Receives a notification or an ask.
   *
   * @throws {McpError} `unanswered-ask` for an ask without an answer, which is then refused
   */
  protected async receive(message: WireMessage, asker: string): Promise<void> {
    const { id, method = '', params = {} } = message
    if (id === undefined || id === null) {
      this.options.onNotification(message)
      for (const listener of this.#listeners) listener(message)
      return
    }
    try {
      const result = await this.options.answer(asker, { method, params, key: undefined })
      await this.post({ id, result: result as JsonObject })
    } catch (error) {
      // The handler would otherwise wait for an answer that never comes. The call fails before: its result
      // would say that the client did not answer.
      if (error instanceof McpError && error.reason === 'unanswered-ask') {
        const refusal = { code: -1, message: 'The test has no answer' }
        this.#refusals.push(this.post({ id, error: refusal }).catch(() => undefined))
      }
      throw error
    }
  }
}

/** @throws {Error} when the server negotiates another revision */
export async function openSession(options: ChannelOptions): Promise<SessionChannel> {
  const channel = new SessionChannel(options)
  await channel.open()
  return channel
}

class SessionChannel extends HandshakeChannel {
  #sessionId: string | undefined
  #stream: Promise<void> | undefined

  get hasSession(): boolean {
    return this.#sessionId !== undefined && this.options.dropsSessionId !== true
  }

  async open(): Promise<void> {
    const { send, url } = this.options
    const message = { id: 0, method: 'initialize', params: this.initializeParams }
    const { message: response, headers } = await postRequest(send, url, message, {})
    this.#sessionId = headers.get('mcp-session-id') ?? undefined
    await this.introduce(response)
  }

  async request(method: string, params: Params, settings: RequestSettings = {}): Promise<Params> {
    const { send, url } = this.options
    const controller = new AbortController()
    const cancel = (reason: unknown) => controller.abort(reason)
    const onMessage = (message: WireMessage) =>
      void this.receive(message, subjectOf(method, params)).catch(cancel)
    return this.cancellable(settings, cancel, async (id) => {
      const body = { id, method, params: params as JsonObject }
      const options = { headers: this.#headers, signal: controller.signal, onMessage }
      const { message } = await postRequest(send, url, body, options)
      return message.result ?? {}
    })
  }

  override async listen(
    filter: ListenFilter,
    onChange: (message: WireMessage) => void,
  ): Promise<() => void> {
    if (!this.hasSession) throw new Error(WITHOUT_SESSION)
    this.#stream ??= this.#openStream()
    await this.#stream
    return super.listen(filter, onChange)
  }

  override async close(): Promise<void> {
    await super.close()
    if (!this.hasSession) return
    const { send, url } = this.options
    await send(new Request(url, { method: 'DELETE', headers: this.#headers }))
  }

  async #openStream(): Promise<void> {
    const { send, url } = this.options
    const { signal } = this.closed
    const body = await getStream(send, url, this.#headers, signal)
    const read = async () => {
      for await (const { data } of eventsOf(body, signal)) {
        await this.receive(JSON.parse(data), 'The server')
      }
    }
    // A stream that breaks is the end of its changes: what waits for one says so.
    read().catch(() => undefined)
  }

  protected override post(message: WireMessage): Promise<void> {
    const { send, url } = this.options
    return postMessage(send, url, message, this.#headers)
  }

  get #headers(): Record<string, string> {
    return {
      'mcp-protocol-version': this.options.revision.id,
      ...(this.hasSession && { 'mcp-session-id': this.#sessionId }),
    }
  }
}

/** Why a client of the session eras cannot be asked, and receives no changes. */
export const WITHOUT_SESSION =
  'This revision asks and publishes changes in sessions, which are Durable Objects. Connect the app that ' +
  'createEdgeway returned, with an env that has MCP_OBJECTS'
