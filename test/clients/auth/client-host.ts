/** The https hosts of client documents, served to the Worker as its egress proxy. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterAll } from 'vitest'
import { type ProtectedServer, useProtectedServer } from './protected-server.ts'

interface ClientHost {
  /** The proxy URL for `--egress`. */
  readonly url: string
  /** The requests of the Worker, in order. */
  readonly requests: readonly string[]
  publish(url: string, document: object): void
  close(): Promise<void>
}

async function startClientHost(): Promise<ClientHost> {
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

/** A protected server for the tests of a file, which fetches client documents from the returned host. */
export function useServerWithClientHost(): {
  readonly server: ProtectedServer
  readonly host: Pick<ClientHost, 'requests' | 'publish'>
} {
  let host: ClientHost | undefined
  const started = () => {
    if (host === undefined) throw new Error('The host has not started: use it within a test')
    return host
  }
  const server = useProtectedServer(async () => {
    host = await startClientHost()
    return { egress: host.url }
  })
  afterAll(() => host?.close())
  return {
    server,
    host: {
      get requests() {
        return started().requests
      },
      publish: (url, document) => started().publish(url, document),
    },
  }
}
