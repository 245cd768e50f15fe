/** The hosts on which apps publish documents about themselves, as the server reaches them: by https. */
import { once } from 'node:events'
import { createServer } from 'node:http'

export interface ClientHost {
  /** Where everything goes that the server asks of the world: for `--egress`. */
  readonly url: string
  /** What the server has asked for, in order. */
  readonly asked: readonly string[]
  publish(url: string, document: object): void
  close(): Promise<void>
}

export async function startClientHost(): Promise<ClientHost> {
  const documents = new Map<string, string>()
  const asked: string[] = []
  const server = createServer(({ headers, method }, response) => {
    const url = String(headers['x-original-url'])
    asked.push(`${method} ${url}`)
    const document = documents.get(url)
    response.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(document ?? '{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new TypeError('No port was given')
  return {
    url: `http://127.0.0.1:${address.port}/`,
    asked,
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
