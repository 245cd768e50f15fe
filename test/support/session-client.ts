/** A session client that calls Edgeway through its public `fetch`. */
import { env } from 'cloudflare:workers'
import { expect } from 'vitest'
import { createSealer } from '../../durable-objects/keyring/sealer.ts'
import type { EdgewayOptions } from '../../src/index.ts'
import type { SessionClaims } from '../../src/ports/sessions.ts'
import { principalContext, sealSessionId } from '../../src/transport/session/session-id.ts'
import { type Answer, type Door, ENDPOINT, openDoor, read } from './door.ts'
import { type Handler, keepHandler, sessionServer } from './session-server.ts'
import { SseReader, type WireMessage } from './sse-reader.ts'

export const CAN_ALL = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {} },
  roots: { listChanged: true },
}

/** The context of the session ids that the tests' server seals: the anonymous principal. */
const CONTEXT = principalContext('sessions', undefined)

const sealer = () => createSealer(env.MCP_KEYRING, undefined)

/** Opens a session id and returns its claims. */
export async function factsOf(id: string): Promise<SessionClaims> {
  const plaintext = await sealer().open('session-id', id, CONTEXT)
  return JSON.parse(new TextDecoder().decode(plaintext))
}

/** Seals a session id with the given claims, as the server would. */
export function sealFacts(claims: SessionClaims, audience = 'sessions'): Promise<string> {
  return sealSessionId(sealer(), claims, principalContext(audience, undefined))
}

export function openSessionDoor(options: EdgewayOptions = {}, bindings: object = env): Door {
  return openDoor(sessionServer, options, bindings)
}

export interface Introduction {
  readonly version?: string
  readonly capabilities?: object
  readonly clientInfo?: object
}

interface CallOptions {
  readonly id?: string | number
  /** `run` is neither read-only nor idempotent, `look` is read-only, `repeat` is idempotent. */
  readonly tool?: 'run' | 'look' | 'repeat'
  readonly progressToken?: string | number
  readonly headers?: Record<string, string | null>
}

export async function openSession(
  { version = '2025-11-25', capabilities = CAN_ALL, clientInfo }: Introduction = {},
  door: Door = openSessionDoor(),
): Promise<SessionClient> {
  const response = await door.post({
    jsonrpc: '2.0',
    id: 'init',
    method: 'initialize',
    params: {
      protocolVersion: version,
      capabilities,
      clientInfo: clientInfo ?? { name: 'test', version: '1.0.0' },
    },
  })
  const id = response.headers.get('mcp-session-id')
  expect([response.status, id]).toEqual([200, expect.any(String)])
  await response.body?.cancel()
  return new SessionClient(door, id ?? '', version)
}

export class SessionClient {
  readonly door: Door
  readonly id: string
  readonly version: string
  #lastId = 0

  constructor(door: Door, id: string, version: string) {
    this.door = door
    this.id = id
    this.version = version
  }

  /** A stub of the session object. */
  async stub() {
    return env.MCP_SESSION.getByName((await factsOf(this.id)).name)
  }

  /** POSTs a body with the headers of a conforming client. */
  post(body: unknown, headers: Record<string, string | null> = {}): Promise<Response> {
    const own = { 'mcp-session-id': this.id, 'mcp-protocol-version': this.version }
    return this.door.post(body, { ...own, ...headers })
  }

  send(method: string, params: object = {}, id: string | number = this.nextId()) {
    return this.post({ jsonrpc: '2.0', id, method, params })
  }

  /** Sends a request and returns its response from JSON or from the stream. The request must not ask. */
  async request(method: string, params?: object): Promise<WireMessage> {
    const response = await this.send(method, params)
    if (response.headers.get('content-type') === 'application/json') return response.json()
    return (await new SseReader(response).rest()).at(-1)
  }

  /** Sends a notification and returns the HTTP status. */
  async notify(method: string, params: object): Promise<number> {
    return (await this.post({ jsonrpc: '2.0', method, params })).status
  }

  /** Calls a tool that runs the handler. */
  call(handler: Handler, options: CallOptions = {}): Promise<Response> {
    const { id = this.nextId(), tool = 'run', progressToken, headers } = options
    const params = {
      name: tool,
      arguments: keepHandler(handler),
      ...(progressToken !== undefined && { _meta: { progressToken } }),
    }
    return this.post({ jsonrpc: '2.0', id, method: 'tools/call', params }, headers)
  }

  /** Calls a tool whose handler sends messages before its answer, and reads the stream. */
  async stream(handler: Handler, options?: CallOptions): Promise<SseReader> {
    return new SseReader(await this.call(handler, options))
  }

  /** Answers a server request and returns the HTTP status. */
  async answer(question: WireMessage, result: object): Promise<number> {
    return (await this.post({ jsonrpc: '2.0', id: question.id, result })).status
  }

  async answerWithError(question: WireMessage, error: object): Promise<number> {
    return (await this.post({ jsonrpc: '2.0', id: question.id, error })).status
  }

  /** Opens a stream with GET, after the given event if there is one. */
  get(lastEventId?: string, headers: Record<string, string> = {}): Promise<Response> {
    const request = new Request(ENDPOINT, {
      headers: {
        accept: 'text/event-stream',
        'mcp-session-id': this.id,
        'mcp-protocol-version': this.version,
        ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
        ...headers,
      },
    })
    return this.door.fetch(request)
  }

  async listen(lastEventId?: string): Promise<SseReader> {
    return new SseReader(await this.get(lastEventId))
  }

  /** Ends the session with DELETE. */
  async end(): Promise<Answer> {
    const headers = { 'mcp-session-id': this.id }
    return read(await this.door.fetch(new Request(ENDPOINT, { method: 'DELETE', headers })))
  }

  nextId(): number {
    this.#lastId += 1
    return this.#lastId
  }
}

/** Joins the text content of a tool's result. */
export function textOf(message: WireMessage): string {
  return message.result.content.map(({ text }: { text: string }) => text).join('\n')
}
