/** A receiver of webhooks on this computer: answers challenges and keeps what was sent. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { isJsonObject } from '../../../../../src/protocol/json.ts'
import { parseJson } from '../../../../text/src/json/json-text.ts'
import { joinedHeaders } from './joined-headers.ts'

/** One request at the receiver. */
export interface ReceivedEvent {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The body as JSON; undefined for any other. */
  readonly value: unknown
}

export interface EventReceiver {
  /** The URL of a callback of its own. */
  callback(name: string): URL
  /** What a callback has received, in order. */
  received(name: string): readonly ReceivedEvent[]
  /** Resolves at the first delivery to a callback, or after the time. */
  waitForDelivery(name: string, timeoutMs: number): Promise<void>
  close(): void
}

export interface EventReceiverOptions {
  /** Where the receiver is reached from outside; undefined: on its own port of this computer. */
  readonly base: URL | undefined
  /** The port of 127.0.0.1. 0: any. */
  readonly port: number
  /** The callbacks whose challenges are answered with another one. */
  readonly wrong: readonly string[]
}

/** Largest body that is read, above the largest that a delivery may have. */
const MAX_BODY_BYTES = 1024 * 1024
const MAX_REQUESTS = 100

/** Rejects when the port cannot be listened on. */
export async function startEventReceiver({
  base,
  port,
  wrong,
}: EventReceiverOptions): Promise<EventReceiver> {
  // Others who reach the port do not know the paths.
  const key = randomBytes(16).toString('hex')
  const requests = new Map<string, ReceivedEvent[]>()
  let onDelivery: () => void = () => undefined
  const server = createServer(async (request, response) => {
    const name = nameIn(request.url ?? '', key)
    const body = name === undefined ? undefined : await readBody(request)
    if (name === undefined || body === undefined) return void response.writeHead(404).end()
    const seen = requests.get(name) ?? []
    requests.set(name, seen)
    const value = parseJson(body)
    if (seen.length < MAX_REQUESTS) {
      const { method = '' } = request
      seen.push({ at: Date.now(), method, headers: joinedHeaders(request.headers), body, value })
    }
    if (!isChallenge(value)) {
      onDelivery()
      return void response.writeHead(204).end()
    }
    const challenge = wrong.includes(name) ? 'another challenge' : value.challenge
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ challenge }))
  })
  server.on('clientError', (_, socket) => socket.destroy())
  const bound = await listen(server, port)
  const root = base ?? new URL(`http://127.0.0.1:${bound}/`)
  return {
    callback: (name) => {
      const path = root.pathname.replace(/\/$/, '')
      return new URL(`${path}/${key}/${name}`, root)
    },
    received: (name) => requests.get(name) ?? [],
    async waitForDelivery(name, timeoutMs) {
      const endsAt = Date.now() + timeoutMs
      const hasDelivery = () => (requests.get(name) ?? []).some(({ value }) => !isChallenge(value))
      while (!hasDelivery() && Date.now() < endsAt) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, endsAt - Date.now())
          onDelivery = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
    },
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Counts the connections to a port of this computer, which it closes. */
export async function startConnectionCounter() {
  let count = 0
  const server = createTcpServer((socket) => {
    count += 1
    socket.destroy()
  })
  const port = await listen(server, 0)
  return { port, count: () => count, close: () => void server.close() }
}

export function isChallenge(value: unknown): value is { readonly challenge: unknown } {
  return isJsonObject(value) && value.type === 'verification'
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  // A connection that cannot be accepted does not end the process.
  server.on('error', () => undefined)
  return (server.address() as AddressInfo).port
}

/** The tunnel in front may add a path of its own. */
function nameIn(target: string, key: string): string | undefined {
  const [path = ''] = target.split('?')
  const at = path.indexOf(`/${key}/`)
  return at < 0 ? undefined : path.slice(at + key.length + 2)
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of request) {
      bytes += (chunk as Buffer).length
      if (bytes > MAX_BODY_BYTES) return undefined
      chunks.push(chunk as Buffer)
    }
    return Buffer.concat(chunks).toString()
  } catch {
    // The sender has closed the connection.
    return undefined
  }
}
