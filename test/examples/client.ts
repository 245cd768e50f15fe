/** A client for the tests of the examples: sends requests of the modern era with correct headers and unwraps results. */

import { parseMessages } from '../support/sse-parser.ts'
import { SseReader } from '../support/sse-reader.ts'
import { type Answer, ENDPOINT, modernRequest, read } from '../support/test-app.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads untyped JSON from the wire
type Wire = any
type Fields = Record<string, unknown>

export interface SendOptions {
  readonly meta?: Fields
  readonly headers?: Record<string, string>
}

const SHOWS_FORMS = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } }

export function createClient(
  fetch: (request: Request) => Response | Promise<Response>,
  endpoint = ENDPOINT,
) {
  const send = async (
    method: string,
    params: Fields = {},
    { meta = {}, headers = {} }: SendOptions = {},
  ): Promise<Answer> => {
    const request = modernRequest(method, params, { meta })
    return read(await post(request.body, { ...request.headers, ...headers }))
  }

  const post = async (body: Fields, headers: Record<string, string | null>) => {
    const sent = new Headers({
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    })
    for (const [name, value] of Object.entries(headers)) {
      if (value !== null) sent.set(name, value)
    }
    const init = { method: 'POST', headers: sent, body: JSON.stringify(body) }
    return fetch(new Request(endpoint, init))
  }

  /** Returns the result of a request, from a JSON response or from the end of a stream. */
  const ask = async (method: string, params: Fields = {}, options?: SendOptions): Promise<Wire> => {
    const { status, body } = await send(method, params, options)
    const answer: Wire = typeof body === 'string' ? parseMessages(body).at(-1) : body
    if (status !== 200 || answer?.result === undefined) {
      throw new Error(`${method} was answered ${status} ${JSON.stringify(answer)}`)
    }
    return answer.result
  }

  return {
    send,
    ask,
    /** Sends one round of a tool call as a client with form elicitation. Returns a result or questions. */
    round: (name: string, args: Fields = {}, answers: Fields = {}): Promise<Wire> =>
      ask('tools/call', { name, arguments: args, ...answers }, { meta: SHOWS_FORMS }),
    /** Sends a request of the session era without a session. */
    session: async (method: string, params: Fields = {}): Promise<Wire> => {
      const body = { jsonrpc: '2.0', id: 1, method, params }
      const answer = await read(await post(body, { 'mcp-protocol-version': '2025-11-25' }))
      return answer.body.result
    },
    /** Opens a subscription and returns a reader of its messages. */
    listen: async (notifications: Fields) => {
      const { body, headers } = modernRequest('subscriptions/listen', { notifications })
      return readEvents(await post(body, headers))
    },
    /** Returns the structured result of a tool call; throws when the tool returns an error. */
    call: async (name: string, args: Fields = {}): Promise<Wire> => {
      const result = await ask('tools/call', { name, arguments: args })
      if (result.isError) throw new Error(result.content[0].text)
      return result.structuredContent
    },
    /** Returns the error text of a tool call; throws when the tool returns no error. */
    refusal: async (name: string, args: Fields = {}): Promise<string> => {
      const { isError, content } = await ask('tools/call', { name, arguments: args })
      if (isError !== true) throw new Error(`${name} did not refuse: ${JSON.stringify(content)}`)
      return content[0].text
    },
  }
}

/** Reads an SSE stream message by message and ignores comments. */
function readEvents(response: Response) {
  const reader = new SseReader(response)
  const next = async (): Promise<Wire> => {
    const message = await reader.message()
    if (message === undefined) throw new Error('The stream has ended')
    return message
  }
  return { next, close: () => reader.leave() }
}
