/** Many `subscriptions/listen` streams of one server, and when news has reached the last of them. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged'
const HONOURED = '"toolsListChanged":true'
const CHANGED = 'notifications/tools/list_changed'
const EVENT_END = '\n\n'

/** How many are being opened at a time. */
const OPENING = 50
const GIVE_UP_MS = 20_000

interface Listener {
  readonly socket: Socket
  /** What has been received since the last event that was counted. */
  pending: string
  /** News since the last publication. */
  heard: number
}

export class Listeners {
  readonly #all: Listener[] = []
  #waiting = 0
  #lastAt = 0
  #everyoneHeard: () => void = () => {}
  readonly #failed: Promise<never>
  #fail: (error: Error) => void = () => {}

  private constructor() {
    this.#failed = new Promise((_, reject) => {
      this.#fail = reject
    })
    // A failure between two publications is thrown by the next one.
    this.#failed.catch(() => {})
  }

  /** @throws {Error} for a stream that is not acknowledged, with what it asked for, in time */
  static async open(port: number, request: Buffer, count: number): Promise<Listeners> {
    const listeners = new Listeners()
    try {
      for (let opened = 0; opened < count; opened += OPENING) {
        const some = Array.from({ length: Math.min(OPENING, count - opened) }, () =>
          listeners.#open(port, request),
        )
        await Promise.all(some)
      }
    } catch (error) {
      listeners.close()
      throw error
    }
    return listeners
  }

  /**
   * Publishes and waits until every listener has heard of it.
   *
   * @returns the time of the last delivery, on the clock of `performance.now()`
   * @throws {Error} when one has not heard in time, hears twice, or is cut off
   */
  async deliver(publish: () => Promise<void>): Promise<number> {
    this.#waiting = this.#all.length
    for (const listener of this.#all) listener.heard = 0
    const everyone = new Promise<void>((resolve) => {
      this.#everyoneHeard = resolve
    })
    const inTime = sleep(GIVE_UP_MS, undefined, { ref: false }).then(() => {
      throw new Error(`${this.#waiting} of ${this.#all.length} listeners heard nothing`)
    })
    await Promise.race([Promise.all([publish(), everyone]), inTime, this.#failed])
    return this.#lastAt
  }

  /** Lets the server come to rest. @throws {Error} when one hears twice or is cut off meanwhile */
  async rest(milliseconds: number): Promise<void> {
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
      if (event.includes(CHANGED)) this.#hear(listener)
      end = listener.pending.indexOf(EVENT_END)
    }
  }

  #hear(listener: Listener): void {
    listener.heard++
    if (listener.heard > 1) this.#fail(new Error('A listener heard the same news twice'))
    this.#waiting--
    if (this.#waiting > 0) return
    this.#lastAt = performance.now()
    this.#everyoneHeard()
  }

  async #open(port: number, request: Buffer): Promise<void> {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true })
    const listener: Listener = { socket, pending: '', heard: 0 }
    this.#all.push(listener)
    await once(socket, 'connect')
    socket.write(request)
    const signal = AbortSignal.timeout(GIVE_UP_MS)
    while (!isAcknowledged(listener.pending)) {
      const [bytes]: Buffer[] = await once(socket, 'data', { signal })
      listener.pending += bytes?.toString('latin1') ?? ''
      if (!listener.pending.startsWith('HTTP/1.1 200')) {
        throw new Error(`A listener is answered with ${listener.pending.slice(0, 400)}`)
      }
    }
    listener.pending = ''
    socket.on('data', (bytes) => this.#receive(listener, bytes))
    socket.on('error', (error) => this.#fail(error))
    socket.on('close', () => this.#fail(new Error('The server ended a listener')))
  }
}

function isAcknowledged(received: string): boolean {
  const at = received.indexOf(ACKNOWLEDGED)
  return at !== -1 && received.includes(HONOURED) && received.indexOf(EVENT_END, at) !== -1
}
