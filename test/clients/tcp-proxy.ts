/** A TCP proxy whose connections a test cuts: one after a given byte of a response, or all of them. */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface TcpProxy {
  /** The server's endpoint through this proxy. */
  readonly url: string
  /** Closes the next connection that receives this text, right after the text. Resolves when it is closed. */
  cutAfter(text: string): Promise<void>
  /** Closes every open connection. */
  cut(): void
  /** Forwards new connections to another server, or closes them when `url` is undefined. */
  forwardTo(url: string | undefined): void
}

interface Cut {
  readonly text: string
  readonly done: () => void
}

/** Opens a proxy, which is closed when the test is finished. */
export async function openTcpProxy(url: string): Promise<TcpProxy> {
  let target: URL | undefined = new URL(url)
  const open = new Set<Socket>()
  const cuts: Cut[] = []

  const server = createServer((client) => {
    open.add(client)
    client.on('close', () => open.delete(client)).on('error', () => undefined)
    if (target === undefined) {
      client.destroy()
      return
    }
    const upstream = connect({ host: target.hostname, port: Number(target.port) })
    upstream.on('error', () => client.destroy()).on('close', () => client.destroy())
    client.on('close', () => upstream.destroy())
    client.pipe(upstream)
    // Latin-1, so that a character is a byte.
    let received = ''
    upstream.on('data', (chunk) => {
      const before = received.length
      received += chunk.toString('latin1')
      for (const cut of cuts) {
        const at = received.indexOf(cut.text, Math.max(0, before - cut.text.length))
        if (at === -1) continue
        cuts.splice(cuts.indexOf(cut), 1)
        client.end(chunk.subarray(0, at + cut.text.length - before), () => {
          client.destroy()
          cut.done()
        })
        upstream.removeAllListeners('data')
        return
      }
      client.write(chunk)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  const cut = () => {
    for (const socket of open) socket.destroy()
  }
  onTestFinished(() => {
    cut()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    cut,
    cutAfter: (text) => new Promise((done) => cuts.push({ text, done })),
    forwardTo: (next) => {
      target = next === undefined ? undefined : new URL(next)
    },
  }
}
