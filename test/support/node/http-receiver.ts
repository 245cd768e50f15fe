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

export async function startHttpReceivers(): Promise<HttpReceivers> {
  const receivers = new Map<string, EventReceiver>()
  const server = createServer((incoming, outgoing) => {
    void answer(receivers.get(incoming.url ?? ''), incoming, outgoing)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
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
      server.close()
      server.closeAllConnections()
    },
  }
}

async function answer(
  receiver: EventReceiver | undefined,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const { method = 'GET', headers } = incoming
  const body: Buffer[] = []
  for await (const chunk of incoming) body.push(chunk)
  try {
    if (receiver === undefined) throw new TypeError('No receiver has this URL')
    const request = new Request(receiver.url, {
      method,
      headers: headers as Readonly<Record<string, string>>,
      ...(method !== 'GET' && { body: Buffer.concat(body) }),
    })
    const response = await receiver.fetch(request)
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    outgoing.end(Buffer.from(await response.arrayBuffer()))
  } catch {
    incoming.socket.destroy()
  }
}
