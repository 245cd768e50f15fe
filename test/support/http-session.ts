/** A client of one session over HTTP, in workerd with the `fetch` of an app and in Node with any other. */
import { readMessage, SseReader, type WireMessage } from './sse-reader.ts'

export interface Endpoint {
  readonly url: string
  /** Default: the global `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>
}

export interface InitializeOptions {
  /** Default: 2025-11-25. */
  readonly version?: string
  /** Default: every capability. */
  readonly capabilities?: object
  readonly clientInfo?: object
  /** The `Accept` header of every POST. */
  readonly accept?: string
}

/** Replaces headers; null removes one. */
export type HeaderChanges = Readonly<Record<string, string | null>>

export interface RequestOptions {
  readonly id?: string | number
  readonly headers?: HeaderChanges
}

export interface ToolCallOptions extends RequestOptions {
  readonly progressToken?: string | number
}

export const CAN_ALL = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {} },
  roots: { listChanged: true },
}

export class HttpSession {
  /** The address of the endpoint. A test changes it when the server restarts at another address. */
  url: string
  readonly id: string
  readonly version: string
  readonly #fetch: (request: Request) => Promise<Response>
  readonly #accept: string
  #lastId = 0

  constructor(
    { url, fetch: send = fetch }: Endpoint,
    id: string,
    version: string,
    accept = 'application/json, text/event-stream',
  ) {
    this.url = url
    this.id = id
    this.version = version
    this.#fetch = (request) => send(request)
    this.#accept = accept
  }

  /** Sends `initialize` and returns the session. @throws when the response has no session id */
  static async open(endpoint: Endpoint, options: InitializeOptions = {}): Promise<HttpSession> {
    const { version = '2025-11-25', accept } = options
    return new HttpSession(endpoint, await initialize(endpoint, options), version, accept)
  }

  /** The headers of a conforming client. */
  headers(method: string): Record<string, string> {
    return {
      accept: method === 'POST' ? this.#accept : 'text/event-stream',
      ...(method === 'POST' && { 'content-type': 'application/json' }),
      'mcp-session-id': this.id,
      'mcp-protocol-version': this.version,
    }
  }

  /** Sends any method and body with the headers of a conforming client, changed by `changes`. */
  fetch(method: string, body?: unknown, changes: HeaderChanges = {}): Promise<Response> {
    const headers = new Headers(this.headers(method))
    for (const [name, value] of Object.entries(changes)) {
      if (value === null) headers.delete(name)
      else headers.set(name, value)
    }
    const text = body === undefined ? null : JSON.stringify(body)
    return this.#fetch(new Request(this.url, { method, headers, body: text }))
  }

  post(body: unknown, headers?: HeaderChanges): Promise<Response> {
    return this.fetch('POST', body, headers)
  }

  send(method: string, params: object = {}, options: RequestOptions = {}): Promise<Response> {
    const { id = this.nextId(), headers } = options
    return this.post({ jsonrpc: '2.0', id, method, params }, headers)
  }

  /** Sends a request and returns its response from JSON or from the stream. The request must not ask. */
  async request(method: string, params?: object): Promise<WireMessage> {
    return readMessage(await this.send(method, params))
  }

  /** Sends a notification and returns the HTTP status. */
  async notify(method: string, params: object): Promise<number> {
    return (await this.post({ jsonrpc: '2.0', method, params })).status
  }

  callTool(name: string, args: object = {}, options: ToolCallOptions = {}): Promise<Response> {
    const { progressToken, ...rest } = options
    const meta = progressToken === undefined ? undefined : { _meta: { progressToken } }
    return this.send('tools/call', { name, arguments: args, ...meta }, rest)
  }

  /** Calls a tool whose answer is a stream. */
  async streamTool(name: string, args?: object, options?: ToolCallOptions): Promise<SseReader> {
    return new SseReader(await this.callTool(name, args, options))
  }

  /** Answers a server request and returns the HTTP status. */
  async answer({ id }: WireMessage, result: object): Promise<number> {
    return (await this.post({ jsonrpc: '2.0', id, result })).status
  }

  async answerWithError({ id }: WireMessage, error: object): Promise<number> {
    return (await this.post({ jsonrpc: '2.0', id, error })).status
  }

  /** Opens a stream with GET, after the given event if there is one. */
  get(lastEventId?: string, headers: HeaderChanges = {}): Promise<Response> {
    return this.fetch('GET', undefined, { 'last-event-id': lastEventId ?? null, ...headers })
  }

  async listen(lastEventId?: string): Promise<SseReader> {
    return new SseReader(await this.get(lastEventId))
  }

  /** Ends the session with DELETE. */
  end(): Promise<Response> {
    return this.fetch('DELETE')
  }

  nextId(): number {
    this.#lastId += 1
    return this.#lastId
  }
}

/** Sends `initialize` and returns the session id. @throws when the response has none */
export async function initialize(
  { url, fetch: send = fetch }: Endpoint,
  {
    version = '2025-11-25',
    capabilities = CAN_ALL,
    clientInfo = { name: 'test', version: '1.0.0' },
    accept = 'application/json, text/event-stream',
  }: InitializeOptions = {},
): Promise<string> {
  const params = { protocolVersion: version, capabilities, clientInfo }
  const response = await send(
    new Request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept },
      body: JSON.stringify({ jsonrpc: '2.0', id: 'init', method: 'initialize', params }),
    }),
  )
  const text = await response.text()
  const id = response.headers.get('mcp-session-id')
  if (response.status !== 200 || id === null) {
    throw new Error(`No session: ${response.status} ${text}`)
  }
  return id
}
