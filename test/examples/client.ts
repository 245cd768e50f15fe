/** A modern client for the tests of the examples: requests correct in every header, results unwrapped. */
import { type Answer, ENDPOINT, messagesOf, modernRequest, read } from '../support/door.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the wire holds
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

  /** The result of a request, whether it comes at once or at the end of a stream. */
  const ask = async (method: string, params: Fields = {}, options?: SendOptions): Promise<Wire> => {
    const { status, body } = await send(method, params, options)
    const answer: Wire = typeof body === 'string' ? messagesOf(body).at(-1) : body
    if (status !== 200 || answer?.result === undefined) {
      throw new Error(`${method} was answered ${status} ${JSON.stringify(answer)}`)
    }
    return answer.result
  }

  return {
    send,
    ask,
    /** One round of a call by a client that shows forms: a result, or questions. */
    round: (name: string, args: Fields = {}, answers: Fields = {}): Promise<Wire> =>
      ask('tools/call', { name, arguments: args, ...answers }, { meta: SHOWS_FORMS }),
    /** A request of the session era without a session. */
    session: async (method: string, params: Fields = {}): Promise<Wire> => {
      const body = { jsonrpc: '2.0', id: 1, method, params }
      const answer = await read(await post(body, { 'mcp-protocol-version': '2025-11-25' }))
      return answer.body.result
    },
    /** The messages of a subscription, one by one. */
    listen: async (notifications: Fields) => {
      const { body, headers } = modernRequest('subscriptions/listen', { notifications })
      return readEvents(await post(body, headers))
    },
    /** The structured value that a tool gives; throws what it refuses. */
    call: async (name: string, args: Fields = {}): Promise<Wire> => {
      const result = await ask('tools/call', { name, arguments: args })
      if (result.isError) throw new Error(result.content[0].text)
      return result.structuredContent
    },
    /** What a tool says where it refuses. */
    refusal: async (name: string, args: Fields = {}): Promise<string> => {
      const { isError, content } = await ask('tools/call', { name, arguments: args })
      if (isError !== true) throw new Error(`${name} did not refuse: ${JSON.stringify(content)}`)
      return content[0].text
    },
  }
}

/** Reads a stream message by message, comments left out. */
function readEvents({ body }: Response) {
  if (body === null) throw new Error('There is no stream')
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const next = async (): Promise<Wire> => {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end === -1) {
        const { done, value } = await reader.read()
        if (done) throw new Error('The stream has ended')
        text += value
        continue
      }
      const [message] = messagesOf(text.slice(0, end))
      text = text.slice(end + 2)
      if (message !== undefined) return message
    }
  }
  return { next, close: () => reader.cancel() }
}
