/** Opens many `subscriptions/listen` streams of one server and times the last delivery. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged'
const TOOLS_FILTER = '"toolsListChanged":true'
const CHANGED = 'notifications/tools/list_changed'
const EVENT_END = '\n\n'

/** Streams that are opened concurrently. */
const CONCURRENCY = 50
const TIMEOUT_MS = 20_000

interface Listener {
  readonly socket: Socket
  /** Received bytes after the last complete event. */
  pending: string
  /** Notifications received since the last publication. */
  deliveries: number
}

export class Listeners {
  readonly #all: Listener[] = []
  #undelivered = 0
  #lastAt = 0
  #allDelivered: () => void = () => {}
  readonly #failed: Promise<never>
  #fail: (error: Error) => void = () => {}

  private constructor() {
    this.#failed = new Promise((_, reject) => {
      this.#fail = reject
    })
    // A failure between two publications is thrown by the next publication.
    this.#failed.catch(() => {})
  }

  /** @throws {Error} for a stream whose filter is not acknowledged in time */
  static async open(port: number, request: Buffer, count: number): Promise<Listeners> {
    const listeners = new Listeners()
    try {
      for (let opened = 0; opened < count; opened += CONCURRENCY) {
        const batch = Array.from({ length: Math.min(CONCURRENCY, count - opened) }, () =>
          listeners.#open(port, request),
        )
        await Promise.all(batch)
      }
    } catch (error) {
      listeners.close()
      throw error
    }
    return listeners
  }

  /**
   * Publishes and waits until every listener has received the notification.
   *
   * @returns the time of the last delivery, on the clock of `performance.now()`
   * @throws {Error} for a notification that is late or duplicate, and for a closed stream
   */
  async deliver(publish: () => Promise<void>): Promise<number> {
    this.#undelivered = this.#all.length
    for (const listener of this.#all) listener.deliveries = 0
    const delivered = new Promise<void>((resolve) => {
      this.#allDelivered = resolve
    })
    const timeout = sleep(TIMEOUT_MS, undefined, { ref: false }).then(() => {
      throw new Error(`${this.#undelivered} of ${this.#all.length} listeners received nothing`)
    })
    await Promise.race([Promise.all([publish(), delivered]), timeout, this.#failed])
    return this.#lastAt
  }

  /** Waits until the server is idle. @throws {Error} for a duplicate notification or lost stream */
  async settle(milliseconds: number): Promise<void> {
    await Promise.race([sleep(milliseconds), this.#failed])
  }

  close(): void {
    for (const { socket } of this.#all) {
      socket
        .removeAllListeners()
        .on('error', () => {})
        .destroy()
    }
  }

  #receive(listener: Listener, bytes: Buffer): void {
    listener.pending += bytes.toString('latin1')
    let end = listener.pending.indexOf(EVENT_END)
    while (end !== -1) {
      const event = listener.pending.slice(0, end)
      listener.pending = listener.pending.slice(end + EVENT_END.length)
      if (event.includes(CHANGED)) this.#countDelivery(listener)
      end = listener.pending.indexOf(EVENT_END)
    }
  }

  #countDelivery(listener: Listener): void {
    listener.deliveries++
    if (listener.deliveries > 1) this.#fail(new Error('A listener received a notification twice'))
    this.#undelivered--
    if (this.#undelivered > 0) return
    this.#lastAt = performance.now()
    this.#allDelivered()
  }

  async #open(port: number, request: Buffer): Promise<void> {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true })
    const listener: Listener = { socket, pending: '', deliveries: 0 }
    this.#all.push(listener)
    await once(socket, 'connect')
    socket.write(request)
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    while (!isAcknowledged(listener.pending)) {
      const [bytes]: Buffer[] = await once(socket, 'data', { signal })
      listener.pending += bytes?.toString('latin1') ?? ''
      if (!listener.pending.startsWith('HTTP/1.1 200')) {
        throw new Error(`The response to a listener is ${listener.pending.slice(0, 400)}`)
      }
    }
    listener.pending = ''
    socket.on('data', (bytes) => this.#receive(listener, bytes))
    socket.on('error', (error) => this.#fail(error))
    socket.on('close', () => this.#fail(new Error('The server closed the stream of a listener')))
  }
}

function isAcknowledged(received: string): boolean {
  const at = received.indexOf(ACKNOWLEDGED)
  return at !== -1 && received.includes(TOOLS_FILTER) && received.indexOf(EVENT_END, at) !== -1
}
