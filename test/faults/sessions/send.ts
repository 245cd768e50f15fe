/** Sends one HTTP request on a connection of its own, so that no connection of a killed server is reused. */
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { bounded } from './bounded.ts'

/**
 * Resolves with the head of the response.
 *
 * @param port where the server listens, if the request names another one
 * @throws when the connection breaks before
 */
export async function send(request: Request, port?: number): Promise<Response> {
  const body = await request.text()
  const options = {
    method: request.method,
    headers: { host: new URL(request.url).host, ...Object.fromEntries(request.headers) },
    agent: false,
    ...(port !== undefined && { port }),
  }
  const head = new Promise<IncomingMessage>((resolve, reject) => {
    httpRequest(request.url, options, resolve).on('error', reject).end(body)
  })
  return toResponse(await bounded(head, `the answer to a ${request.method}`))
}

/** Reads a whole body. */
export function readText(response: Response): Promise<string> {
  return bounded(response.text(), 'the end of an answer')
}

function toResponse(message: IncomingMessage): Response {
  const { statusCode: status = 0, headers } = message
  const entries = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, String(value)]),
  )
  const hasBody = status !== 204 && headers['content-length'] !== '0'
  if (!hasBody) message.resume()
  // The types of node:stream/web differ from the global ones by name only.
  const body = hasBody ? (Readable.toWeb(message) as unknown as ReadableStream) : null
  return new Response(body, { status, headers: entries })
}
