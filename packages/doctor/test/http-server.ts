/** A scriptable HTTP server: a function answers each request. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** The body as JSON; an empty object for any other body. */
  readonly json: { readonly [member: string]: unknown }
}

export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  /** Writes the rest of the body and does not end. */
  readonly stream?: (response: ServerResponse) => void
}

/** Undefined leaves the request without an answer. */
export type Handler = (
  request: ReceivedRequest,
  origin: string,
) => Answer | undefined | Promise<Answer | undefined>

export interface TestServer {
  readonly origin: string
  readonly requests: readonly ReceivedRequest[]
  stop(): Promise<void>
}

export async function startHttpServer(handle: Handler): Promise<TestServer> {
  const requests: ReceivedRequest[] = []
  let origin = ''
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const url = new URL(incoming.url ?? '/', origin)
    const { method = '', headers } = incoming
    const { pathname: path, searchParams: query } = url
    const request = { method, path, query, headers, body, json: parsed(body) }
    requests.push(request)
    const answer = await handle(request, origin)
    if (answer === undefined) return
    response.on('error', () => undefined)
    response.writeHead(answer.status, answer.headers)
    if (answer.stream === undefined) response.end(answer.body)
    else {
      response.flushHeaders()
      answer.stream(response)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  origin = `http://127.0.0.1:${port}`
  return {
    origin,
    requests,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function parsed(body: string): ReceivedRequest['json'] {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    // A form or an empty body.
    return {}
  }
}
