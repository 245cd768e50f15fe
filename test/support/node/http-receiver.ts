/** Receivers of webhook deliveries behind one HTTP server of this machine. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  createEventReceiver,
  type EventReceiver,
} from '../../../packages/testing/src/event-receiver.ts'

export interface HttpReceivers {
  readonly origin: string
  /** A receiver at a path of its own. */
  open(): EventReceiver
  stop(): void
}

export type Receive = (request: IncomingMessage, body: Buffer, response: ServerResponse) => void

export interface CallbackServer {
  readonly origin: string
  stop(): void
}

/** Thousands of objects connect at the same time. */
const BACKLOG = 4096

/** Connections are used again: each one that the receiver closed would be an open file of the server. */
const KEEP_ALIVE_MS = 600_000

/** Starts an HTTP server of this machine, which receives whole requests. */
export async function receiveCallbacks(receive: Receive): Promise<CallbackServer> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('error', () => undefined)
    response.on('error', () => undefined)
    request.on('end', () => receive(request, Buffer.concat(parts), response))
  })
  server.keepAliveTimeout = KEEP_ALIVE_MS
  server.listen({ port: 0, host: '127.0.0.1', backlog: BACKLOG })
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

export async function startHttpReceivers(): Promise<HttpReceivers> {
  const receivers = new Map<string, EventReceiver>()
  const { origin, stop } = await receiveCallbacks((incoming, body, outgoing) => {
    void answer(receivers.get(incoming.url ?? ''), incoming, body, outgoing)
  })
  return {
    origin,
    open: () => {
      const path = `/${crypto.randomUUID()}`
      const receiver = createEventReceiver({ url: origin + path })
      receivers.set(path, receiver)
      return receiver
    },
    stop: () => {
      for (const receiver of receivers.values()) receiver.close()
      stop()
    },
  }
}

/** Answers a request of an HTTP server by what handles it. Any failure breaks the connection. */
export async function answer(
  receiver: Pick<EventReceiver, 'url' | 'fetch'> | undefined,
  incoming: IncomingMessage,
  body: Buffer,
  outgoing: ServerResponse,
): Promise<void> {
  const { method = 'GET', headers } = incoming
  try {
    if (receiver === undefined) throw new TypeError('No receiver has this URL')
    const request = new Request(receiver.url, {
      method,
      headers: headers as Readonly<Record<string, string>>,
      ...(method !== 'GET' && { body }),
    })
    const response = await receiver.fetch(request)
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    outgoing.end(Buffer.from(await response.arrayBuffer()))
  } catch {
    incoming.socket.destroy()
  }
}
