/**
 * Streamable HTTP of the session eras: a handshake, then requests in its session, or each on its own where
 * the server opens none.
 */
import type { JsonObject } from '../protocol/json.ts'
import {
  type Channel,
  type ChannelOptions,
  type ListenFilter,
  type RequestSettings,
  readIntroduction,
  type ServerIntroduction,
  subjectOf,
} from './channel.ts'
import { UnansweredAskError } from './errors.ts'
import { getStream, postMessage, postRequest } from './post-channel.ts'
import { eventsOf, type WireMessage } from './wire-message.ts'

type Params = Readonly<Record<string, unknown>>

/** @throws {Error} when the server negotiates another revision */
export async function openSession(options: ChannelOptions): Promise<SessionChannel> {
  const { send, url, revision, clientInfo, capabilities, logLevel } = options
  const params = { protocolVersion: revision.id, capabilities, clientInfo } as JsonObject
  const message = { id: 0, method: 'initialize', params }
  const { message: response, headers } = await postRequest(send, url, message, {})
  const sessionId = headers.get('mcp-session-id') ?? undefined
  const channel = new SessionChannel(options, introductionOf(options, response), sessionId)
  await channel.notify('notifications/initialized', {})
  if (logLevel !== undefined) await channel.request('logging/setLevel', { level: logLevel })
  return channel
}

/** Reads the response to `initialize`. */
export function introductionOf(
  { revision }: ChannelOptions,
  { result = {} }: WireMessage,
): ServerIntroduction {
  if (result.protocolVersion !== revision.id) {
    throw new Error(`The server negotiated ${result.protocolVersion} instead of ${revision.id}`)
  }
  return readIntroduction(result.serverInfo, result)
}

export class SessionChannel implements Channel {
  readonly introduction: ServerIntroduction
  readonly #options: ChannelOptions
  readonly #sessionId: string | undefined
  readonly #closed = new AbortController()
  #listeners = new Set<(message: WireMessage) => void>()
  #stream: Promise<void> | undefined
  /** Sent for asks without an answer. */
  readonly #refusals: Promise<void>[] = []
  #lastId = 0

  constructor(
    options: ChannelOptions,
    introduction: ServerIntroduction,
    sessionId: string | undefined,
  ) {
    this.#options = options
    this.introduction = introduction
    this.#sessionId = sessionId
  }

  get hasSession(): boolean {
    return this.#sessionId !== undefined
  }

  async request(method: string, params: Params, settings: RequestSettings = {}): Promise<Params> {
    const { send, url } = this.#options
    this.#lastId += 1
    const id = this.#lastId
    const controller = new AbortController()
    const cancelled = () => {
      controller.abort(settings.signal?.reason)
      // A server that has answered meanwhile ignores it.
      void this.notify('notifications/cancelled', { requestId: id }).catch(() => undefined)
    }
    settings.signal?.throwIfAborted()
    settings.signal?.addEventListener('abort', cancelled, { once: true })
    const onMessage = (message: WireMessage) => {
      void this.#receive(message, subjectOf(method, params)).catch((error) =>
        controller.abort(error),
      )
    }
    try {
      const body = { id, method, params: params as JsonObject }
      const { message } = await postRequest(send, url, body, {
        headers: this.#headers,
        signal: controller.signal,
        onMessage,
      })
      return message.result ?? {}
    } finally {
      settings.signal?.removeEventListener('abort', cancelled)
    }
  }

  notify(method: string, params: Params): Promise<void> {
    return this.#post({ method, params: params as JsonObject })
  }

  async listen(
    { resourceSubscriptions = [] }: ListenFilter,
    onChange: (message: WireMessage) => void,
  ): Promise<() => void> {
    if (!this.hasSession) throw new Error(WITHOUT_SESSION)
    this.#stream ??= this.#openStream()
    await this.#stream
    this.#listeners.add(onChange)
    for (const uri of resourceSubscriptions) await this.request('resources/subscribe', { uri })
    return () => this.#listeners.delete(onChange)
  }

  async close(): Promise<void> {
    await Promise.all(this.#refusals)
    this.#closed.abort()
    if (!this.hasSession) return
    const { send, url } = this.#options
    await send(new Request(url, { method: 'DELETE', headers: this.#headers }))
  }

  async #openStream(): Promise<void> {
    const { send, url } = this.#options
    const body = await getStream(send, url, this.#headers, this.#closed.signal)
    const read = async () => {
      for await (const { data } of eventsOf(body, this.#closed.signal)) {
        await this.#receive(JSON.parse(data), 'The server')
      }
    }
    // A stream that breaks is the end of its changes: what waits for one says so.
    read().catch(() => undefined)
  }

  /** @throws {UnansweredAskError} for an ask without an answer, which is then refused */
  async #receive(message: WireMessage, asker: string): Promise<void> {
    const { id, method = '', params = {} } = message
    if (id === undefined || id === null) {
      this.#options.onNotification(message)
      for (const listener of this.#listeners) listener(message)
      return
    }
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

  #post(message: WireMessage): Promise<void> {
    const { send, url } = this.#options
    return postMessage(send, url, message, this.#headers)
  }

  get #headers(): Record<string, string> {
    return {
      'mcp-protocol-version': this.#options.revision.id,
      ...(this.#sessionId !== undefined && { 'mcp-session-id': this.#sessionId }),
    }
  }
}

/** Why a client of the session eras cannot be asked, and receives no changes. */
export const WITHOUT_SESSION =
  'This revision asks and publishes changes in sessions, which are Durable Objects. Connect the app that ' +
  'createEdgeway returned, with an env that has MCP_SESSION, MCP_KEYRING and, for changes, MCP_HUB'
