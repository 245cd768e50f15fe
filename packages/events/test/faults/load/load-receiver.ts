/** A receiver of webhooks over HTTP that counts deliveries, and misbehaves at some paths. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What the receiver does with a delivery at a path that begins so. */
const HOSTILE: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/endless': (response) => sendSlowly(response),
  '/gigabyte': (response) => sendGigabyte(response),
  '/never': () => undefined,
  '/reset': (response) => response.destroy(),
  '/silent': () => undefined,
  '/flooding': (response) => sendGigabyte(response),
}

/** Of these, the ones that treat the challenge so too. */
const HOSTILE_TO_CHALLENGES = ['/silent', '/flooding']

/** Thousands of objects connect at the same time. */
const BACKLOG = 4096
const KEEP_ALIVE_MS = 600_000

const GIGABYTE = 2 ** 30
const CHUNK = Buffer.alloc(64 * 1024, 'x')
const SLOW_MS = 50

export interface Arrival {
  /** Epoch milliseconds. */
  readonly at: number
  readonly eventId: string
  readonly subscription: string
  /** The path of the callback. */
  readonly path: string
}

export class LoadReceiver {
  readonly arrivals: Arrival[] = []
  readonly #byEvent = new Map<string, Arrival[]>()
  readonly #server: Server
  challenges = 0

  private constructor() {
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = []
      request.on('data', (part: Buffer) => parts.push(part))
      request.on('error', () => undefined)
      response.on('error', () => undefined)
      request.on('end', () => this.#answer(request, Buffer.concat(parts).toString(), response))
    })
    // Connections are used again: each one that the receiver closed would be an open file of the server.
    this.#server.keepAliveTimeout = KEEP_ALIVE_MS
  }

  static async start(): Promise<LoadReceiver> {
    const receiver = new LoadReceiver()
    const address = { port: 0, host: '127.0.0.1', backlog: BACKLOG }
    await new Promise<void>((resolve) => receiver.#server.listen(address, resolve))
    return receiver
  }

  url(path: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`
  }

  /** The arrivals of an event. */
  of(eventId: string): readonly Arrival[] {
    return this.#byEvent.get(eventId) ?? []
  }

  stop(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  #answer({ headers, url = '/' }: IncomingMessage, body: string, response: ServerResponse): void {
    const eventId = String(headers['webhook-id'])
    const hostile = Object.entries(HOSTILE).find(([path]) => url.startsWith(path))
    if (eventId.startsWith('msg_verification_')) {
      this.challenges += 1
      if (hostile !== undefined && HOSTILE_TO_CHALLENGES.includes(hostile[0])) {
        hostile[1](response)
        return
      }
      const { challenge } = JSON.parse(body)
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ challenge }))
      return
    }
    const subscription = String(headers['x-mcp-subscription-id'])
    const arrival = { at: Date.now(), eventId, subscription, path: url }
    this.arrivals.push(arrival)
    const known = this.#byEvent.get(eventId)
    if (known === undefined) this.#byEvent.set(eventId, [arrival])
    else known.push(arrival)
    if (hostile === undefined) response.writeHead(204).end()
    else hostile[1](response)
  }
}

/** As fast as the reader reads. */
function sendGigabyte(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/plain', 'content-length': String(GIGABYTE) })
  let sent = 0
  const send = () => {
    while (sent < GIGABYTE && !response.destroyed) {
      sent += CHUNK.byteLength
      if (!response.write(CHUNK)) {
        response.once('drain', send)
        return
      }
    }
    response.end()
  }
  send()
}

/** A kilobyte at a time, without an end. */
function sendSlowly(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/plain' })
  const timer = setInterval(() => {
    if (response.destroyed) clearInterval(timer)
    else response.write(CHUNK.subarray(0, 1024))
  }, SLOW_MS)
}
