/** A client of a moved agent in each era, through the `fetch` of the agent's own Worker. */
import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { CAN_ALL, HttpSession } from '../../../test/support/http-session.ts'
import { connectHttpSse, initializeHttpSse } from '../../../test/support/http-sse-client.ts'
import type { WireMessage } from '../../../test/support/sse-parser.ts'
import { readMessage, type SseReader } from '../../../test/support/sse-reader.ts'
import { modernRequest } from '../../../test/support/test-app.ts'

export const ERAS = ['modern', 'session', 'http-sse'] as const
export type TestedEra = (typeof ERAS)[number]

/** The entry of a Worker. Existing ones declare their own environment. */
export interface Entry {
  // biome-ignore lint/suspicious/noExplicitAny: each entry has the environment of its server
  fetch(request: Request, env: any, ctx: ExecutionContext): Response | Promise<Response>
}

export interface AgentClientOptions {
  /** Default: an origin that is not loopback. */
  readonly origin?: string
  /** Default `/mcp`. */
  readonly path?: string
  /** Path of the transport of 2024-11-05. Default: `path`. */
  readonly streamPath?: string
  readonly authorization?: string
  /** The header of an agent whose verifier reads one of its own. */
  readonly apiKey?: string
  /** What code in front of the agent puts into `ctx`. */
  readonly ctx?: { readonly props?: unknown; readonly auth?: object }
}

export const ORIGIN = 'https://agents.example.com'

export class AgentClient {
  readonly url: string
  readonly #streamUrl: string
  readonly #entry: Entry
  readonly #options: AgentClientOptions

  constructor(entry: Entry, options: AgentClientOptions = {}) {
    const { origin = ORIGIN, path = '/mcp', streamPath = path } = options
    this.url = `${origin}${path}`
    this.#streamUrl = `${origin}${streamPath}`
    this.#entry = entry
    this.#options = options
  }

  readonly fetch = async (request: Request): Promise<Response> => {
    const headers = new Headers(request.headers)
    const { authorization, apiKey, ctx = {} } = this.#options
    if (apiKey !== undefined) headers.set('x-api-key', apiKey)
    if (authorization !== undefined) headers.set('authorization', authorization)
    const context = Object.assign(Object.create(createExecutionContext()), ctx)
    return this.#entry.fetch(new Request(request, { headers }), env, context)
  }

  /** Sends one modern request and returns its response. */
  async modern(
    method: string,
    params: Record<string, unknown> = {},
    changes: Record<string, string> = {},
  ): Promise<WireMessage> {
    const meta = { 'io.modelcontextprotocol/clientCapabilities': CAN_ALL }
    const { body, headers } = modernRequest(method, params, { meta })
    const sent = {
      ...(headers as Record<string, string>),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...changes,
    }
    const init = { method: 'POST', headers: sent, body: JSON.stringify(body) }
    return readMessage(await this.fetch(new Request(this.url, init)))
  }

  session(): Promise<HttpSession> {
    return HttpSession.open(this)
  }

  httpSse() {
    return initializeHttpSse(this, { capabilities: CAN_ALL }, this.#streamUrl)
  }

  /** Sends a request over the transport of 2024-11-05 without an introduction, and returns its stream. */
  async httpSseRequest(method: string): Promise<SseReader> {
    const { stream, send } = await connectHttpSse(this, undefined, this.#streamUrl)
    await send(method, {})
    return stream
  }

  /** Opens what an era has, and returns how it sends a request. */
  async open(era: TestedEra): Promise<(method: string, params?: object) => Promise<WireMessage>> {
    if (era === 'modern') return (method, params = {}) => this.modern(method, { ...params })
    if (era === 'session') {
      const session = await this.session()
      return (method, params) => session.request(method, params)
    }
    const { stream, send } = await this.httpSse()
    return async (method, params = {}) => {
      const response = await send(method, params, crypto.randomUUID())
      if (response.status !== 202) return response.json()
      return stream.message()
    }
  }
}

export const toolNames = ({ result }: WireMessage): string[] =>
  result.tools.map(({ name }: { name: string }) => name)

export const textOf = ({ result }: WireMessage): string => result.content[0].text

export const call = (name: string, args: object = {}) => ({ name, arguments: args })
