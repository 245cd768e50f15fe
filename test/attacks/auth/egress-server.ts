/** An egress proxy that receives and records all outgoing requests of the Worker. */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'

export interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Returns a reply, or undefined when it writes the response itself. */
export type Responder = (body: string, response: ServerResponse) => Reply | undefined

export interface EgressServer {
  readonly url: string
  /** Every requested URL, in order. */
  readonly requestedUrls: string[]
  /** The responder of each URL without its query. Any other URL answers 404. */
  readonly responders: Map<string, Responder>
  stop(): Promise<void>
}

export async function startEgressServer(): Promise<EgressServer> {
  const requestedUrls: string[] = []
  const responders = new Map<string, Responder>()
  const server = createServer((incoming, response) => {
    const target = incoming.headers['x-original-url']
    const url =
      typeof target === 'string' ? target : `http://${incoming.headers.host}${incoming.url}`
    requestedUrls.push(url)
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('error', () => undefined)
    incoming.on('end', () => {
      const respond = responders.get(url.split('?')[0] ?? '')
      const reply =
        respond === undefined
          ? { status: 404 }
          : respond(Buffer.concat(chunks).toString(), response)
      if (reply === undefined) return
      const { status = 200, headers = {}, body = '' } = reply
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    requestedUrls,
    responders,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
