/** A session as a hostile client keeps it: every header and every body is its own choice. */
import { EventReader, type WireMessage } from './event-reader.ts'

const CAN_ALL = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} }

export interface Introduction {
  readonly version?: string
  readonly capabilities?: object
  readonly clientInfo?: object
}

export interface Sending {
  /** Null takes one away. */
  readonly headers?: Readonly<Record<string, string | null>>
  readonly id?: string | number
  readonly progressToken?: string | number
}

export class Session {
  readonly url: string
  readonly id: string
  readonly version: string
  #lastId = 0

  private constructor(url: string, id: string, version: string) {
    this.url = url
    this.id = id
    this.version = version
  }

  static async open(
    url: string,
    {
      version = '2025-11-25',
      capabilities = CAN_ALL,
      clientInfo = { name: 'hostile', version: '1.0.0' },
    }: Introduction = {},
  ): Promise<Session> {
    const params = { protocolVersion: version, capabilities, clientInfo }
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 'init', method: 'initialize', params }),
    })
    await response.text()
    return new Session(url, response.headers.get('mcp-session-id') ?? '', version)
  }

  /** Any method, any body, with the headers of an honest client but for what is said. */
  fetch(method: string, body?: unknown, headers: Sending['headers'] = {}): Promise<Response> {
    const all = {
      accept: method === 'POST' ? 'application/json, text/event-stream' : 'text/event-stream',
      'content-type': body === undefined ? null : 'application/json',
      'mcp-session-id': this.id,
      'mcp-protocol-version': this.version,
      ...headers,
    }
    const kept = Object.entries(all).filter((header): header is [string, string] => {
      return header[1] !== null
    })
    const text = body === undefined ? null : JSON.stringify(body)
    return fetch(this.url, { method, headers: kept, body: text })
  }

  send(method: string, params: object = {}, { id, headers }: Sending = {}): Promise<Response> {
    this.#lastId += 1
    const message = { jsonrpc: '2.0', id: id ?? this.#lastId, method, params }
    return this.fetch('POST', message, headers)
  }

  call(name: string, args: object = {}, { progressToken, ...sending }: Sending = {}) {
    const meta = progressToken === undefined ? undefined : { _meta: { progressToken } }
    return this.send('tools/call', { name, arguments: args, ...meta }, sending)
  }

  /** A call whose answer is a stream. */
  async stream(name: string, args: object = {}, sending: Sending = {}): Promise<EventReader> {
    return new EventReader(await this.call(name, args, sending))
  }

  /** The last message of the answer, in whatever form it comes. */
  async result(name: string, args: object = {}): Promise<WireMessage> {
    return lastMessage(await this.call(name, args))
  }

  /** The status of a notification. */
  async notify(method: string, params: object): Promise<number> {
    return (await this.fetch('POST', { jsonrpc: '2.0', method, params })).status
  }

  async answer(id: unknown, result: object): Promise<number> {
    return (await this.fetch('POST', { jsonrpc: '2.0', id, result })).status
  }

  get(lastEventId?: string): Promise<Response> {
    return this.fetch('GET', undefined, { 'last-event-id': lastEventId ?? null })
  }

  async listen(lastEventId?: string): Promise<EventReader> {
    return new EventReader(await this.get(lastEventId))
  }

  /** The status of DELETE. */
  async end(): Promise<number> {
    return (await this.fetch('DELETE')).status
  }

  /** The value of one of the server's counters. */
  async readCount(name: string): Promise<number> {
    return (await this.result('read_count', { name })).result.structuredContent.value
  }
}

/** The JSON of an answer, or the last message of its stream. */
export async function lastMessage(response: Response): Promise<WireMessage> {
  return response.headers.get('content-type') === 'text/event-stream'
    ? (await new EventReader(response).rest()).at(-1)
    : response.json()
}

/** Accepts a form with these fields. */
export function accept(content: object): { readonly action: string; readonly content: object } {
  return { action: 'accept', content }
}
