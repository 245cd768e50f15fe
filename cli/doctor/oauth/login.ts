/** Signs a person in with a browser: a listener on the loopback interface receives the response. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface CallbackListener {
  readonly redirectUri: string
  /** Resolves with the parameters of the first request of the callback; undefined after the time. */
  wait(timeoutMs: number): Promise<URLSearchParams | undefined>
  close(): void
}

const PATH = '/callback'

export async function listenForCallback(): Promise<CallbackListener> {
  let received: (parameters: URLSearchParams) => void = () => undefined
  const response = new Promise<URLSearchParams>((resolve) => {
    received = resolve
  })
  const server = createServer((request, reply) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    if (url.pathname !== PATH) {
      reply.writeHead(404).end()
      return
    }
    reply.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' })
    reply.end('The command line has the answer. This window can be closed.')
    received(url.searchParams)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    redirectUri: `http://127.0.0.1:${port}${PATH}`,
    wait: async (timeoutMs) => {
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<undefined>((resolve) => {
        timer = setTimeout(resolve, timeoutMs, undefined)
      })
      const parameters = await Promise.race([response, late])
      clearTimeout(timer)
      return parameters
    },
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Opens a page in the default browser. A machine without one shows the URL that the caller printed. */
export function openInBrowser(url: URL): void {
  // The URL comes from the metadata of a server: `explorer` and `open` would start programs for others.
  if (!/^https?:$/.test(url.protocol)) return
  const command = { darwin: 'open', win32: 'explorer' }[process.platform as string] ?? 'xdg-open'
  const child = spawn(command, [url.href], { stdio: 'ignore', detached: true })
  child.on('error', () => undefined)
  child.unref()
}
