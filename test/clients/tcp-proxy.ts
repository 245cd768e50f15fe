/** A TCP proxy in front of a server that restarts at another port. */
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { onTestFinished } from 'vitest'

export interface TcpProxy {
  /** The server's endpoint through this proxy. */
  readonly url: string
  /** Forwards new connections to another server, or closes them when `url` is undefined. */
  forwardTo(url: string | undefined): void
}

/** Opens a proxy, which is closed when the test is finished. */
export async function openTcpProxy(url: string): Promise<TcpProxy> {
  let target: URL | undefined = new URL(url)
  const server = createServer((client) => {
    client.on('error', () => undefined)
    if (target === undefined) {
      client.destroy()
      return
    }
    const upstream = connect({ host: target.hostname, port: Number(target.port) })
    upstream.on('error', () => client.destroy()).on('close', () => client.destroy())
    client.on('close', () => upstream.destroy())
    client.pipe(upstream).pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    forwardTo: (next) => {
      target = next === undefined ? undefined : new URL(next)
    },
  }
}
