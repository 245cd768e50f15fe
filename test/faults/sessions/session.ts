/** A client of one session over HTTP, which can continue at another address of the server. */
import { HttpSession } from '../../support/http-session.ts'
import { bounded } from './bounded.ts'
import { EventReader } from './event-reader.ts'
import type { Message } from './message.ts'
import { readText, send } from './send.ts'

export interface SessionOptions {
  readonly version?: string
  readonly accept?: string
}

export interface Reply {
  readonly status: number
  /** Set when the response is JSON. */
  readonly message: Message | undefined
  /** Set when the response is a stream. */
  readonly events: EventReader | undefined
}

export async function openSession(
  url: string,
  { version = '2025-11-25', accept }: SessionOptions = {},
): Promise<Session> {
  const endpoint = { url, fetch: send }
  return new Session(
    await HttpSession.open(endpoint, {
      version,
      capabilities: { elicitation: {} },
      ...(accept !== undefined && { accept }),
    }),
  )
}

export class Session {
  readonly #http: HttpSession

  constructor(http: HttpSession) {
    this.#http = http
  }

  get id(): string {
    return this.#http.id
  }

  /** The address of the server; changed when the server restarts. */
  get url(): string {
    return this.#http.url
  }

  set url(url: string) {
    this.#http.url = url
  }

  nextId(): number {
    return this.#http.nextId()
  }

  /** The headers of a POST, for tests that write to a socket. */
  get headers(): Readonly<Record<string, string>> {
    return this.#http.headers('POST')
  }

  async post(body: object): Promise<Reply> {
    const response = await this.#http.post(body)
    const { status, headers } = response
    if (headers.get('content-type') === 'text/event-stream') {
      return { status, message: undefined, events: new EventReader(response) }
    }
    const text = await readText(response)
    return { status, message: text === '' ? undefined : JSON.parse(text), events: undefined }
  }

  /** Calls a tool, with the request id as progress token. */
  call(name: string, args: object = {}, id: number = this.nextId()): Promise<Reply> {
    return this.post(toolCall(name, args, id))
  }

  /** Calls a tool whose answer is a stream. */
  async stream(name: string, args: object = {}): Promise<EventReader> {
    const { events, message } = await this.call(name, args)
    if (events === undefined) throw new Error(`No stream: ${JSON.stringify(message)}`)
    return events
  }

  /** Sends a request and returns its response, from JSON or from a stream. */
  async request(method: string, params: object = {}): Promise<Message> {
    const reply = await this.post({ jsonrpc: '2.0', id: this.nextId(), method, params })
    return bounded(lastOf(reply), `the response to ${method}`)
  }

  /** Calls a tool that answers a number. */
  async value(name: string, args: object): Promise<number> {
    const { result } = await this.request('tools/call', { name, arguments: args })
    // The text of the structured result: the oldest revisions have nothing else.
    const { value } = JSON.parse(result?.content?.[0]?.text ?? '{}')
    if (typeof value !== 'number') throw new Error(`${name} answered no value`)
    return value
  }

  readCount(name: string): Promise<number> {
    return this.value('read_count', { name })
  }

  /** Accepts an elicitation and returns the status. */
  answer(ask: Message, content: object): Promise<number> {
    return this.#http.answer(ask, { action: 'accept', content })
  }

  /** Sends a GET, after an event if one is given; returns the stream, or the status of a refusal. */
  async get(lastEventId?: string): Promise<EventReader | number> {
    // An empty id would open another stream: a client without any event cannot resume.
    if (lastEventId === '') throw new TypeError('An empty event id names no stream')
    const response = await this.#http.get(lastEventId)
    if (response.status === 200) return new EventReader(response, lastEventId)
    await readText(response)
    return response.status
  }

  getHeaders(lastEventId?: string): Record<string, string> {
    const headers = this.#http.headers('GET')
    return lastEventId === undefined ? headers : { ...headers, 'last-event-id': lastEventId }
  }

  /** The same for a GET that must return a stream. */
  async listen(lastEventId?: string): Promise<EventReader> {
    const events = await this.get(lastEventId)
    if (typeof events === 'number') throw new Error(`No stream: ${events}`)
    return events
  }

  /** The messages after an event of a call's stream; none when the client has all of them. */
  async rest(lastEventId: string): Promise<readonly Message[]> {
    const events = await this.get(lastEventId)
    if (events === 405) return []
    if (typeof events === 'number') throw new Error(`No stream: ${events}`)
    return events.rest()
  }

  /** Sends a DELETE and returns the status. */
  async end(): Promise<number> {
    return (await this.#http.end()).status
  }
}

export function toolCall(name: string, args: object, id: number): object {
  const params = { name, arguments: args, _meta: { progressToken: id } }
  return { jsonrpc: '2.0', id, method: 'tools/call', params }
}

async function lastOf({ message, events }: Reply): Promise<Message> {
  const last = message ?? (await events?.rest())?.at(-1)
  if (last === undefined) throw new Error('There was no response')
  return last
}
