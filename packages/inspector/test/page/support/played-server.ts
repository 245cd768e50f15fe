/** Plays the server of the page: its JSON by path, and its MCP endpoint. */
import { vi } from 'vitest'

export interface McpRequest {
  readonly path: string
  readonly headers: Headers
  readonly id: number
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal
}

type Answer = object | number | ((request: Request) => unknown)

interface PlayedServer {
  /**
   * By path, without the query: JSON, a status without a body, or what a function of the request returns. An
   * error is an answer that never came.
   */
  readonly answers?: Readonly<Record<string, Answer>>
  /** The result of a request to the endpoint, or its whole response. */
  readonly resultOf?: (request: McpRequest) => unknown
}

export interface Recorded {
  /** The requests to the endpoint. */
  readonly calls: McpRequest[]
  /** Method, path and query of all requests. */
  readonly requested: string[]
}

/** Answers what the page requests from now on. Both members may be replaced while it runs. */
export function playServer(server: PlayedServer): Recorded {
  const recorded: Recorded = { calls: [], requested: [] }
  vi.stubGlobal('fetch', async (input: Request | URL | string, init?: RequestInit) => {
    const request =
      input instanceof Request ? input : new Request(new URL(input, location.href), init)
    const { pathname, search } = new URL(request.url)
    recorded.requested.push(`${request.method} ${pathname}${search}`)
    const answer = server.answers?.[pathname]
    if (answer !== undefined) {
      return responseOf(typeof answer === 'function' ? await answer(request) : answer)
    }
    const body = await request.text()
    const { id, method, params } = JSON.parse(body === '' ? '{}' : body)
    if (method === undefined || server.resultOf === undefined) return responseOf(404)
    const { headers, signal } = request
    const call = { path: pathname, headers, id, method, params, signal }
    recorded.calls.push(call)
    const result = await server.resultOf(call)
    return result instanceof Response ? result : json({ jsonrpc: '2.0', id, result })
  })
  return recorded
}

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  const all = { 'content-type': 'application/json', ...headers }
  return new Response(JSON.stringify(body), { status, headers: all })
}

/** A JSON-RPC error. */
export const refusal = (message: string, data?: unknown) =>
  json({ jsonrpc: '2.0', id: null, error: { code: -32602, message, data } }, 400)

/** A response that requires a token. */
export const challenge = (status: number, header: string) =>
  new Response(null, { status, headers: { 'www-authenticate': header } })

/** An answer that does not come. */
export const never = () => new Promise<never>(() => undefined)

function responseOf(answer: unknown): Response {
  if (answer instanceof Response) return answer
  if (answer instanceof Error) throw answer
  return typeof answer === 'number' ? new Response(null, { status: answer }) : json(answer)
}
