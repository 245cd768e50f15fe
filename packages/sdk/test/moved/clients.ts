/** A client of the modern era and one of a session, which answer the questions of a server alike. */
import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { CAN_ALL, HttpSession } from '../../../../test/support/http-session.ts'
import { SseReader, type WireMessage } from '../../../../test/support/sse-reader.ts'
import { modernRequest } from '../../../../test/support/test-app.ts'
import { edgeway, type MovedEnv } from './worker.ts'

const ORIGIN = 'http://localhost:8787'
const CLIENT = { name: 'client', version: '3' }

export interface MovedClient {
  /** Sends a request and answers its questions. Returns the response. */
  request(method: string, params?: Record<string, unknown>): Promise<WireMessage>
  /** The notifications so far. */
  readonly notifications: readonly WireMessage[]
}

/** Answers a question of the server. */
export type Answer = (question: { readonly method: string; readonly params: WireMessage }) => object

export interface ClientOptions {
  readonly capabilities?: object
  readonly answer?: Answer
}

const send = async (request: Request) =>
  edgeway.fetch(request, env as unknown as MovedEnv, createExecutionContext())

const noAnswer: Answer = ({ method }) => {
  throw new Error(`${method} was not expected`)
}

export const MODES = ['modern', 'session'] as const

export function connect(
  mode: (typeof MODES)[number],
  server: string,
  options: ClientOptions = {},
): Promise<MovedClient> {
  return mode === 'modern' ? connectModern(server, options) : connectSession(server, options)
}

async function connectModern(
  server: string,
  { capabilities = CAN_ALL, answer = noAnswer }: ClientOptions,
): Promise<MovedClient> {
  const notifications: WireMessage[] = []
  const meta = {
    'io.modelcontextprotocol/clientInfo': CLIENT,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    'io.modelcontextprotocol/logLevel': 'debug',
    progressToken: 'token',
  }
  const round = async (method: string, params: Record<string, unknown>): Promise<WireMessage> => {
    const { body, headers } = modernRequest(method, params, { meta })
    const response = await send(
      new Request(`${ORIGIN}/mcp/${server}`, {
        method: 'POST',
        headers: {
          ...(headers as Record<string, string>),
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify(body),
      }),
    )
    if (response.headers.get('content-type') !== 'text/event-stream') return response.json()
    const messages = await new SseReader(response).rest()
    notifications.push(...messages.slice(0, -1))
    return messages.at(-1)
  }
  return {
    notifications,
    request: async (method, params = {}) => {
      let message = await round(method, params)
      while (message.result?.resultType === 'input_required') {
        const { inputRequests = {}, requestState } = message.result
        const inputResponses = Object.fromEntries(
          Object.entries(inputRequests).map(([key, question]) => [key, answer(question as never)]),
        )
        message = await round(method, { ...params, inputResponses, requestState })
      }
      return message
    },
  }
}

async function connectSession(
  server: string,
  { capabilities = CAN_ALL, answer = noAnswer }: ClientOptions,
): Promise<MovedClient> {
  const notifications: WireMessage[] = []
  const url = `${ORIGIN}/mcp/${server}`
  const session = await HttpSession.open({ url, fetch: send }, { capabilities, clientInfo: CLIENT })
  return {
    notifications,
    request: async (method, params = {}) => {
      const response = await session.send(method, { ...params, _meta: { progressToken: 'token' } })
      if (response.headers.get('content-type') !== 'text/event-stream') return response.json()
      const stream = new SseReader(response)
      for (;;) {
        const message = await stream.message()
        if (message.result !== undefined || message.error !== undefined) return message
        if (message.id === undefined) notifications.push(message)
        else await session.answer(message, answer(message))
      }
    },
  }
}
