/** A modern client for the tests of the examples: requests correct in every header, results unwrapped. */
import { type Answer, ENDPOINT, messagesOf, modernRequest, read } from '../support/door.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the wire holds
type Wire = any
type Fields = Record<string, unknown>

export interface SendOptions {
  readonly meta?: Fields
  readonly headers?: Record<string, string>
}

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
    const sent = new Headers({
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    })
    for (const [name, value] of Object.entries({ ...request.headers, ...headers })) {
      if (value !== null) sent.set(name, value)
    }
    const body = JSON.stringify(request.body)
    return read(await fetch(new Request(endpoint, { method: 'POST', headers: sent, body })))
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
