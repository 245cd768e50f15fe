/** Sends one HTTP request on a connection of its own, so that no connection of a killed server is reused. */
import { type IncomingMessage, request } from 'node:http'
import { bounded } from './bounded.ts'

export interface Outgoing {
  readonly method: 'POST' | 'GET' | 'DELETE'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** Resolves with the head of the response. @throws when the connection breaks before */
export function send(url: string, { method, headers, body }: Outgoing): Promise<IncomingMessage> {
  const head = new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { method, headers, agent: false }, resolve).on('error', reject).end(body)
  })
  return bounded(head, `the answer to a ${method}`)
}

/** Reads a whole body. */
export async function readText(response: IncomingMessage): Promise<string> {
  const read = async () => {
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk)
    return Buffer.concat(chunks).toString()
  }
  return bounded(read(), 'the end of an answer')
}
