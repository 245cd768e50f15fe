/** Sends one HTTP request on a connection of its own, so that no connection of a killed server is reused. */
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { bounded } from './bounded.ts'

/** Resolves with the head of the response. @throws when the connection breaks before */
export async function send(request: Request): Promise<Response> {
  const body = await request.text()
  const options = {
    method: request.method,
    headers: Object.fromEntries(request.headers),
    agent: false,
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
  const entries = Object.entries(headers).map(([name, value]) => [name, String(value)])
  const hasBody = status !== 204 && headers['content-length'] !== '0'
  if (!hasBody) message.resume()
  // The types of node:stream/web differ from the global ones by name only.
  const body = hasBody ? (Readable.toWeb(message) as unknown as ReadableStream) : null
  return new Response(body, { status, headers: Object.fromEntries(entries) })
}
