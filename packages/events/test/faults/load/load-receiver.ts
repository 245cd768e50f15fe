/** A receiver of webhooks over HTTP that counts deliveries, and misbehaves at some paths. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type CallbackServer,
  receiveCallbacks,
} from '../../../../../test/support/node/http-receiver.ts'

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
  #server: CallbackServer | undefined
  challenges = 0

  static async start(): Promise<LoadReceiver> {
    const receiver = new LoadReceiver()
    receiver.#server = await receiveCallbacks((request, body, response) =>
      receiver.#answer(request, body.toString(), response),
    )
    return receiver
  }

  url(path: string): string {
    return `${this.#server?.origin}${path}`
  }

  /** The arrivals of an event. */
  of(eventId: string): readonly Arrival[] {
    return this.#byEvent.get(eventId) ?? []
  }

  stop(): void {
    this.#server?.stop()
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
