/** The https hosts of client documents, served to the Worker as its egress proxy. */
import { once } from 'node:events'
import { createServer } from 'node:http'

export interface ClientHost {
  /** The proxy URL for `--egress`. */
  readonly url: string
  /** The requests of the Worker, in order. */
  readonly requests: readonly string[]
  publish(url: string, document: object): void
  close(): Promise<void>
}

export async function startClientHost(): Promise<ClientHost> {
  const documents = new Map<string, string>()
  const requests: string[] = []
  const server = createServer(({ headers, method }, response) => {
    const url = String(headers['x-original-url'])
    requests.push(`${method} ${url}`)
    const document = documents.get(url)
    response.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(document ?? '{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new TypeError('The server has no port')
  return {
    url: `http://127.0.0.1:${address.port}/`,
    requests,
    publish: (url, document) => {
      documents.set(url, JSON.stringify(document))
    },
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
