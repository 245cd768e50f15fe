/** A scriptable HTTP server: a function answers each request. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Answer, PlantedRequest } from '../../faults/test/planted/plant.ts'

/** Undefined leaves the request without an answer. */
export type Handler = (
  request: PlantedRequest,
  origin: string,
) => Answer | undefined | Promise<Answer | undefined>

export interface TestServer {
  readonly origin: string
  readonly requests: readonly PlantedRequest[]
  stop(): Promise<void>
}

export async function startHttpServer(handle: Handler): Promise<TestServer> {
  const requests: PlantedRequest[] = []
  let origin = ''
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const url = new URL(incoming.url ?? '/', origin)
    const { method = '' } = incoming
    const headers = incoming.headers as PlantedRequest['headers']
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

/** Answers as a handler of the Fetch API does. */
export const ofFetch =
  (handle: (request: Request) => Response | Promise<Response>): Handler =>
  async ({ method, path, query, headers, body }, origin) => {
    const url = new URL(`${path}?${query}`, origin)
    const given = new Headers(headers as Record<string, string>)
    const request = new Request(url, { method, headers: given, ...(body !== '' && { body }) })
    const { status, headers: answered, body: rest } = await handle(request)
    const answer = { status, headers: Object.fromEntries(answered) }
    if (rest === null) return answer
    const text = new TextDecoder()
    return {
      ...answer,
      stream: (sink) => {
        const writes = {
          write: (chunk: Uint8Array) => void sink.write(text.decode(chunk, { stream: true })),
          close: () => void sink.end(),
        }
        // The client closes streams.
        rest.pipeTo(new WritableStream(writes)).catch(() => undefined)
      },
    }
  }

function parsed(body: string): PlantedRequest['json'] {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    // A form or an empty body.
    return {}
  }
}
