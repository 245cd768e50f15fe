/** Sends requests to Edgeway through its public `fetch`, in workerd. */

import { createExecutionContext } from 'cloudflare:test'
import type { Edgeway, McpServer, ServerFactory } from '../../src/index.ts'
import type { ServerSource } from '../../src/server/mcp-server.ts'
import type { TelemetryEvent } from '../../src/telemetry/index.ts'
import { createFullEdgeway, type FullFactoryOptions, type FullOptions } from './full-app.ts'

export const ENDPOINT = 'http://localhost:8787/mcp'
export const MODERN = '2026-07-28'

export interface TestApp {
  /** Sends a request exactly as given. */
  fetch(request: Request): Promise<Response>
  /** POSTs a body with the headers of a conforming client. `headers` replaces some; null removes one. */
  post(body: unknown, headers?: Record<string, string | null>): Promise<Response>
  /** Sends a modern request with every required header and parses the answer. */
  modern(method: string, params?: Record<string, unknown>, options?: ModernOptions): Promise<Answer>
  /** Sends a session-era request without a session. */
  session(method: string, params?: Record<string, unknown>, version?: string): Promise<Answer>
  /** The same app, with requests to another path of it. */
  at(path: string): TestApp
  /** All telemetry events so far. */
  readonly events: readonly TelemetryEvent[]
}

export interface ModernOptions {
  readonly id?: string | number
  readonly headers?: Record<string, string | null>
  readonly meta?: Record<string, unknown>
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary members of the wire form
  readonly body: any
}

export function openApp<Env>(
  server: McpServer<Env> | ServerSource,
  options: FullOptions = {},
  env?: Env,
): TestApp {
  const events: TelemetryEvent[] = []
  const edgeway = createFullEdgeway(server, settingsOf(options, events))
  return connect(edgeway, own(env), events, ENDPOINT)
}

/** {@link openApp} for a factory. */
export function openFactoryApp<Env>(
  factory: ServerFactory<Env>,
  options: FullFactoryOptions,
  env?: Env,
): TestApp {
  const events: TelemetryEvent[] = []
  const edgeway = createFullEdgeway(factory, settingsOf(options, events))
  return connect(edgeway, own(env), events, ENDPOINT)
}

/** An environment of its own: an app reports that another one uses the bindings of its environment. */
function own<Env>(env: Env | undefined): Env | undefined {
  return env === undefined ? undefined : { ...env }
}

/** {@link openApp} for an app that exists, in exactly this environment. */
export function connectApp<Env>(
  edgeway: Pick<Edgeway<Env>, 'fetch'>,
  env?: Env,
  events: readonly TelemetryEvent[] = [],
): TestApp {
  return connect(edgeway, env, events, ENDPOINT)
}

function settingsOf<O extends FullOptions>(options: O, events: TelemetryEvent[]): O {
  return {
    telemetry: (event: TelemetryEvent) => events.push(event),
    ...options,
    // Tests of other features expect JSON, also on a busy machine.
    limits: { streamAfterMs: 5_000, ...options.limits },
  }
}

function connect<Env>(
  edgeway: Pick<Edgeway<Env>, 'fetch'>,
  env: Env | undefined,
  events: readonly TelemetryEvent[],
  url: string,
): TestApp {
  const bindings = (env ?? {}) as Env
  const fetch = async (request: Request) =>
    edgeway.fetch(request, bindings, createExecutionContext())
  const post: TestApp['post'] = (body, headers = {}) => {
    const sent = new Headers({
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    })
    for (const [name, value] of Object.entries(headers)) {
      if (value === null) sent.delete(name)
      else sent.set(name, value)
    }
    const raw =
      typeof body === 'string' || body instanceof Uint8Array || body instanceof ReadableStream
    return fetch(
      new Request(url, {
        method: 'POST',
        headers: sent,
        body: raw ? (body as BodyInit) : JSON.stringify(body),
      }),
    )
  }
  return {
    events,
    at: (path) => connect(edgeway, env, events, new URL(path, url).href),
    fetch,
    post,
    modern: async (method, params = {}, { id = 1, headers, meta } = {}) => {
      const request = modernRequest(method, params, { id, ...(meta && { meta }) })
      return read(await post(request.body, { ...request.headers, ...headers }))
    },
    session: async (method, params = {}, version = '2025-11-25') =>
      read(
        await post(
          { jsonrpc: '2.0', id: 1, method, params },
          method === 'initialize' ? {} : { 'mcp-protocol-version': version },
        ),
      ),
  }
}

export function modernRequest(
  method: string,
  params: Record<string, unknown> = {},
  { id = 1, meta = {} }: ModernOptions = {},
) {
  const name = params.name ?? params.uri ?? params.taskId
  return {
    body: {
      jsonrpc: '2.0',
      id,
      method,
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': MODERN,
          'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
          'io.modelcontextprotocol/clientCapabilities': {},
          ...meta,
        },
      },
    },
    headers: {
      'mcp-protocol-version': MODERN,
      'mcp-method': method,
      ...(typeof name === 'string' && /^[\x20-\x7e]+$/.test(name) ? { 'mcp-name': name } : {}),
    } as Record<string, string | null>,
  }
}

export async function read(response: Response): Promise<Answer> {
  const text = await response.text()
  const isJson = response.headers.get('content-type') === 'application/json'
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? JSON.parse(text) : text,
  }
}
