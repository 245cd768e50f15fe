/** Opens many streams of one server, counts their notifications, and times the last delivery. */
import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'

const CHANGED = 'notifications/tools/list_changed'
const EVENT_END = '\n\n'

/** Streams that are opened concurrently: the next ones wait for the slowest, so a busy server sets the pace. */
const CONCURRENCY = 50

/** How long no stream may open, or no notification arrive, while one is expected. */
const TIMEOUT_MS = 60_000

interface Listener {
  readonly socket: Socket
  isOpen: boolean
  /** Received bytes after the last complete event. */
  pending: string
  /** Notifications received since the last publication. */
  deliveries: number
}

/** What was received after several publications. */
export interface Received {
  /** Notifications of each listener. */
  readonly counts: readonly number[]
  /** The time of the last delivery, on the clock of `performance.now()`. */
  readonly lastAt: number
}

export class Listeners {
  readonly #all: Listener[] = []
  /** Text of the event after which a stream is open. */
  readonly #opening: string
  #perListener = 1
  #undelivered = 0
  #lastAt = 0
  #allDelivered: () => void = () => {}
  readonly #failed: Promise<never>
  #fail: (error: Error) => void = () => {}

  private constructor(opening: string) {
    this.#opening = opening
    this.#failed = new Promise((_, reject) => {
      this.#fail = reject
    })
    // A failure between two publications is thrown by the next publication.
    this.#failed.catch(() => {})
  }

  /**
   * @param requestOf the request of each stream
   * @param opening text of the event after which a stream is open
   * @throws {Error} for a stream that is not open in time
   */
  static async open(
    port: number,
    requestOf: (index: number) => Buffer,
    count: number,
    opening = ACKNOWLEDGED,
  ): Promise<Listeners> {
    const listeners = new Listeners(opening)
    try {
      for (let opened = 0; opened < count; opened += CONCURRENCY) {
        const batch = Array.from({ length: Math.min(CONCURRENCY, count - opened) }, (_, index) =>
          listeners.#open(port, requestOf(opened + index)),
        )
        await Promise.all(batch)
      }
    } catch (cause) {
      listeners.close()
      const open = listeners.#all.filter(({ isOpen }) => isOpen).length
      throw new Error(`${open} of ${count} streams were open when one failed`, { cause })
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
    const { lastAt, counts } = await this.deliverAll(publish, 1)
    if (counts.some((count) => count > 1)) throw new Error('A notification arrived twice')
    return lastAt
  }

  /**
   * Publishes several times and waits until every listener has received as many notifications.
   *
   * @throws {Error} for a notification that is late, and for a closed stream
   */
  async deliverAll(publish: () => Promise<void>, publications: number): Promise<Received> {
    this.#perListener = publications
    this.#undelivered = this.#all.length
    for (const listener of this.#all) listener.deliveries = 0
    const delivered = new Promise<void>((resolve) => {
      this.#allDelivered = resolve
    })
    const finished = new AbortController()
    const work = Promise.all([publish(), delivered])
    try {
      await Promise.race([work, this.#silence(finished.signal), this.#failed])
    } finally {
      finished.abort()
    }
    return { counts: this.#all.map(({ deliveries }) => deliveries), lastAt: this.#lastAt }
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

  /** Rejects when no notification has arrived for the time limit: a busy server may need longer for all. */
  async #silence(finished: AbortSignal): Promise<never> {
    this.#lastAt = performance.now()
    for (let wait = TIMEOUT_MS; wait > 0; wait = this.#lastAt + TIMEOUT_MS - performance.now()) {
      await sleep(wait, undefined, { ref: false, signal: finished })
    }
    throw new Error(`${this.#undelivered} of ${this.#all.length} listeners received too little`)
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
    if (listener.deliveries > this.#perListener) {
      this.#fail(new Error('A listener received a notification twice'))
    }
    this.#lastAt = performance.now()
    if (listener.deliveries < this.#perListener) return
    this.#undelivered--
    if (this.#undelivered === 0) this.#allDelivered()
  }

  async #open(port: number, request: Buffer): Promise<void> {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true })
    const listener: Listener = { socket, isOpen: false, pending: '', deliveries: 0 }
    this.#all.push(listener)
    const { promise: opened, resolve, reject } = Promise.withResolvers<void>()
    const timer = setTimeout(
      () => reject(new Error(`A stream did not open: ${listener.pending.slice(0, 400)}`)),
      TIMEOUT_MS,
    )
    socket.on('connect', () => socket.write(request))
    socket.on('data', (bytes) => {
      if (listener.isOpen) return this.#receive(listener, bytes)
      listener.pending += bytes.toString('latin1')
      if (!'HTTP/1.1 200'.startsWith(listener.pending.slice(0, 12))) {
        reject(new Error(`The response to a listener is ${listener.pending.slice(0, 400)}`))
      }
      const at = listener.pending.indexOf(this.#opening)
      if (at === -1 || listener.pending.indexOf(EVENT_END, at) === -1) return
      listener.isOpen = true
      listener.pending = ''
      resolve()
    })
    socket.on('error', reject)
    await opened.finally(() => clearTimeout(timer))
    const lost = (cause?: Error) =>
      this.#fail(new Error('The server closed the stream of a listener', { cause }))
    socket.on('error', lost)
    socket.on('close', () => lost())
  }
}

/** The event that acknowledges the filter of a listener for the tools. */
const ACKNOWLEDGED = '"notifications/subscriptions/acknowledged"'
