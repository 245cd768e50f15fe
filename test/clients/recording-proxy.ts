/** An HTTP proxy that records the requests of a client that runs in a process of its own. */
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { RecordedRequest } from './wire.ts'

/** Opens a proxy, which is closed when the test is finished. */
export async function openRecordingProxy(target: string) {
  const { hostname, port, pathname } = new URL(target)
  const requests: RecordedRequest[] = []
  const server = createServer((incoming, outgoing) => {
    const { method = 'GET', url: path = '/', headers } = incoming
    const recorded = new Headers(headers as Readonly<Record<string, string>>)
    const host = `${hostname}:${port}`
    const upstream = request({ hostname, port, path, method, headers: { ...headers, host } })
    upstream.on('response', (response) => {
      const status = response.statusCode ?? 0
      requests.push({ method, path, headers: recorded, body, status })
      outgoing.writeHead(status, response.headers)
      response.on('error', () => outgoing.destroy()).pipe(outgoing)
    })
    upstream.on('error', () => outgoing.destroy())
    outgoing.on('close', () => upstream.destroy())
    let body = ''
    incoming.on('data', (chunk: Buffer) => {
      body += chunk.toString()
    })
    incoming.pipe(upstream)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${address.port}${pathname}`, requests }
}
