/** A client of the 2024-11-05 transport: one event stream, and POSTs for its messages. */
import { EventReader } from './event-reader.ts'
import type { Message } from './message.ts'
import { readText, send } from './send.ts'
import { toolCall } from './session.ts'

type Fetch = (request: Request) => Promise<Response>

/** The server refused to open the stream. */
export class StreamRefusedError extends Error {
  readonly status: number

  constructor(status: number) {
    super(`No stream: ${status}`)
    this.status = status
  }
}

export class HttpSseSession {
  /** The address of the server, or of its stream; changed when the server restarts. */
  url: string
  events: EventReader
  readonly #fetch: Fetch
  #messagesPath = ''
  #lastId = 0

  private constructor(url: string, events: EventReader, fetch: Fetch) {
    this.url = url
    this.events = events
    this.#fetch = fetch
  }

  /** Connects and initializes. */
  static async open(url: string, fetch: Fetch = send): Promise<HttpSseSession> {
    const session = await HttpSseSession.resume(url, undefined, fetch)
    await session.post({
      jsonrpc: '2.0',
      id: 'init',
      method: 'initialize',
      params: {
        protocolVersion: '2024-11-05',
        capabilities: { elicitation: {} },
        clientInfo: { name: 'faults', version: '1.0.0' },
      },
    })
    const { error } = await session.events.message(0)
    if (error !== undefined) throw new Error(error.message)
    return session
  }

  /** Connects after an event of an earlier connection. */
  static async resume(
    url: string,
    lastEventId: string | undefined,
    fetch: Fetch = send,
  ): Promise<HttpSseSession> {
    const session = new HttpSseSession(url, await connect(url, lastEventId, fetch), fetch)
    await session.#findMessagesPath()
    return session
  }

  /** Opens a stream from the last event on. */
  async reconnect(): Promise<void> {
    this.events = await connect(this.url, this.events.lastId, this.#fetch)
    await this.#findMessagesPath()
  }

  /** Resolves with the status. */
  async post(body: object): Promise<number> {
    const response = await this.#fetch(
      new Request(new URL(this.#messagesPath, this.url), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    )
    await readText(response)
    return response.status
  }

  /** Calls a tool and returns the request id; the answer comes on the stream. */
  async call(name: string, args: object = {}): Promise<number> {
    this.#lastId += 1
    const status = await this.post(toolCall(name, args, this.#lastId))
    if (status !== 202) throw new Error(`${name} was not accepted: ${status}`)
    return this.#lastId
  }

  /** Sends a request and returns its response, which is the next message with its id. */
  async request(method: string, params: object = {}): Promise<Message> {
    this.#lastId += 1
    const id = this.#lastId
    const status = await this.post({ jsonrpc: '2.0', id, method, params })
    if (status !== 202) throw new Error(`${method} was not accepted: ${status}`)
    const { events } = this
    const find = () => events.messages.find((message) => message.id === id)
    await events.until(() => find() !== undefined, `the response to ${method}`)
    return find() ?? {}
  }

  async answer({ id }: Message, content: object): Promise<number> {
    return this.post({ jsonrpc: '2.0', id, result: { action: 'accept', content } })
  }

  async #findMessagesPath(): Promise<void> {
    const { events } = this
    await events.until(() => events.endpoint !== undefined, 'the endpoint event')
    this.#messagesPath = events.endpoint ?? ''
  }
}

async function connect(
  url: string,
  lastEventId: string | undefined,
  fetch: Fetch,
): Promise<EventReader> {
  const headers: Record<string, string> = { accept: 'text/event-stream' }
  if (lastEventId !== undefined && lastEventId !== '') headers['last-event-id'] = lastEventId
  const response = await fetch(new Request(streamUrl(url), { headers }))
  if (response.status !== 200) throw new StreamRefusedError(response.status)
  return new EventReader(response, lastEventId)
}

function streamUrl(url: string): URL {
  return new URL(url).pathname.startsWith('/sse') ? new URL(url) : new URL('/sse', url)
}
