/** A client for the tests of the examples: sends requests of the modern era with correct headers and unwraps results. */

import { parseMessages } from '../support/sse-parser.ts'
import { SseReader } from '../support/sse-reader.ts'
import { connectApp, ENDPOINT, modernRequest } from '../support/test-app.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads untyped JSON from the wire
type Wire = any
type Fields = Record<string, unknown>

const SHOWS_FORMS = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } }

export function createClient(
  fetch: (request: Request) => Response | Promise<Response>,
  endpoint = ENDPOINT,
) {
  const app = connectApp({ fetch: async (request) => fetch(request) }).at(
    new URL(endpoint).pathname,
  )
  const { modern: send } = app

  /** Returns the result of a request, from a JSON response or from the end of a stream. */
  const ask = async (
    method: string,
    params?: Fields,
    options?: Parameters<typeof send>[2],
  ): Promise<Wire> => {
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
    session: async (method: string, params?: Fields): Promise<Wire> =>
      (await app.session(method, params)).body.result,
    /** Opens a subscription and returns a reader of its messages. */
    listen: async (notifications: Fields) => {
      const { body, headers } = modernRequest('subscriptions/listen', { notifications })
      const reader = new SseReader(await app.post(body, headers))
      const next = async (): Promise<Wire> => {
        const message = await reader.message()
        if (message === undefined) throw new Error('The stream has ended')
        return message
      }
      return { next, close: () => reader.leave() }
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
