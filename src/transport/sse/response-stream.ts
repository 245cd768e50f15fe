/**
 * The stream of one answer: notifications, then the response, then its end. It opens only when it is
 * needed, so that a quick answer is JSON.
 *
 * A `ReadableStream` whose `pull` lasts as long as the client reads each event at once: a pull for each event cost 1.10
 * times the processor time of a publication, a `TransformStream` 1.17 times.
 */
import { joinBytes } from '../../platform/join-bytes.ts'
import type { CancelReason } from '../../ports/cancel-reason.ts'
import { EVENTS, type Frames } from './frames.ts'

interface StreamLimits {
  readonly keepAliveMs: number
  readonly sendBufferBytes: number
  readonly writeStallMs: number
}

const SLICE_BYTES = 64 * 1024

/** Closes the stream when it is its turn. */
const END = new Uint8Array()

/** Interval of the keep-alive frames on a new stream. */
const FIRST_KEEP_ALIVE_MS = 1000

/** A timer that fires later than this is that of a busy isolate, whose writes are late as well. */
const MAX_LATE_MS = 1000

interface Waiting {
  readonly slice: Uint8Array
  /** Called when the client has read it, or the stream is closed. */
  readonly taken: () => void
}

export class ResponseStream {
  readonly #limits: StreamLimits
  readonly #onLost: (reason: CancelReason) => void
  readonly #frames: Frames
  #onOpen: (() => void) | undefined
  #body: ReadableStream<Uint8Array> | undefined
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  /**
   * Ends the pull of a client that has read everything. The pull lasts while the client reads each slice at once:
   * a pull for each slice costs the platform a promise and its callbacks.
   */
  #endPull: (() => void) | undefined
  /** The slice that the client did not wait for, in the stream. */
  #unread: Waiting | undefined
  /** What follows it, in slices. */
  readonly #waiting: Waiting[] = []
  #keepAliveTimer: ReturnType<typeof setTimeout> | null = null
  #keepAliveDueAt = 0
  #openedAt = 0
  #pendingBytes = 0
  #lastProgressAt = 0
  /** The `#lastProgressAt` of a stream that seemed to be stalled. */
  #suspectedAt: number | undefined
  /** No more messages are accepted. */
  #ended = false
  /** No more writes and no more timers. */
  #closed = false

  /** @param onLost called once when the client has disconnected or stopped reading before the end */
  constructor(
    limits: StreamLimits,
    onLost: (reason: CancelReason) => void,
    frames: Frames = EVENTS,
  ) {
    this.#frames = frames
    this.#limits = limits
    this.#onLost = onLost
  }

  get isOpen(): boolean {
    return this.#body !== undefined
  }

  /** Whether the stream accepts no more messages. */
  get isOver(): boolean {
    return this.#ended
  }

  /** Resolves when the stream opens. */
  get opened(): Promise<void> {
    return this.isOpen ? Promise.resolve() : new Promise((resolve) => (this.#onOpen = resolve))
  }

  /** Opens the stream on the first call, and returns the body of the response. */
  open(): ReadableStream<Uint8Array> {
    if (this.#body !== undefined) return this.#body
    // Nothing is buffered in the stream, so that what waits is known here.
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        pull: () => this.#pull(),
        cancel: () => this.abandon('client-disconnected'),
      },
      { highWaterMark: 0 },
    )
    this.#body = body
    this.#openedAt = Date.now()
    this.#lastProgressAt = this.#openedAt
    this.#scheduleKeepAlive()
    void this.#write(this.#frames.opening)
    this.#onOpen?.()
    return body
  }

  /**
   * Sends one message, or drops it when `sendBufferBytes` are waiting. Resolves when the client has
   * read it, or the stream is closed.
   */
  async send(json: string): Promise<void> {
    if (this.#pendingBytes > this.#limits.sendBufferBytes) return
    await this.sendEvent(this.#frames.message(json))
  }

  /** Sends messages in one write, regardless of how much is waiting: for callers that await each write. */
  sendTogether(messages: readonly string[]): Promise<void> | undefined {
    return this.sendEvent(joinBytes(messages.map((json) => this.#frames.message(json))))
  }

  /**
   * Sends one event, regardless of how much is waiting: for callers that await each event. Undefined when the client
   * waits for it.
   */
  sendEvent(event: Uint8Array): Promise<void> | undefined {
    if (this.#ended) return
    this.open()
    return this.#write(event)
  }

  /** Sends the last message, regardless of how much is waiting, and ends the stream. */
  async end(json: string): Promise<void> {
    if (this.#ended) return
    this.open()
    this.#ended = true
    await this.#write(this.#frames.message(json))
    await this.#finish()
  }

  /** Ends the stream after the messages that were sent. */
  async close(): Promise<void> {
    if (this.#ended) return
    this.#ended = true
    await this.#finish()
  }

  /** Aborts the stream: waiting messages are discarded. */
  abandon(reason: CancelReason): void {
    if (this.#closed) return
    const isBeforeEnd = !this.#ended
    this.#ended = true
    this.#stop()
    this.#unread?.taken()
    for (const { taken } of this.#waiting.splice(0)) taken()
    this.#controller?.error(new Error(reason))
    if (isBeforeEnd) this.#onLost(reason)
  }

  async #finish(): Promise<void> {
    if (this.#closed) return
    this.#stop()
    await this.#queue(END)
  }

  /** Writes in slices, so that a slow but steady client makes progress and does not count as stalled. */
  #write(bytes: Uint8Array): Promise<void> | undefined {
    const isOne = bytes.byteLength <= SLICE_BYTES
    let last: Promise<void> | undefined
    for (let at = 0; at < bytes.byteLength; at += SLICE_BYTES) {
      last = this.#queue(isOne ? bytes : bytes.subarray(at, at + SLICE_BYTES))
    }
    return last
  }

  /** Resolves when the client has taken the slice, and those before it. Undefined when it waits for the slice. */
  #queue(slice: Uint8Array): Promise<void> | undefined {
    const endPull = this.#endPull
    if (endPull === undefined) return this.#pending(slice, (waiting) => this.#waiting.push(waiting))
    this.#give(slice)
    if (!this.#hasUnread) return
    this.#endPull = undefined
    endPull()
    return this.#pending(slice, (waiting) => {
      this.#unread = waiting
    })
  }

  #pending(slice: Uint8Array, keep: (waiting: Waiting) => void): Promise<void> {
    // A stall is measured from the first write that waits.
    if (this.#pendingBytes === 0) this.#lastProgressAt = Date.now()
    this.#pendingBytes += slice.byteLength
    return new Promise((taken) => keep({ slice, taken }))
  }

  /** The client waits for more. */
  #pull(): Promise<void> | undefined {
    // The platform also calls before it reads what the stream has, and calls again.
    if (this.#hasUnread) return
    if (this.#unread !== undefined) this.#taken(this.#unread)
    this.#unread = undefined
    const next = this.#waiting.shift()
    if (next === undefined) {
      return new Promise((resolve) => {
        this.#endPull = resolve
      })
    }
    this.#give(next.slice)
    this.#taken(next)
  }

  /** Whether the stream has a slice that the client has not read. */
  get #hasUnread(): boolean {
    return (this.#controller?.desiredSize ?? 0) < 0
  }

  #give(slice: Uint8Array): void {
    if (slice === END) this.#controller?.close()
    else this.#controller?.enqueue(slice)
  }

  #taken({ slice, taken }: Waiting): void {
    this.#pendingBytes -= slice.byteLength
    this.#lastProgressAt = Date.now()
    taken()
  }

  /**
   * A disconnected client is detected by a write. A young stream writes often, so that a call of some
   * seconds is cancelled within one second; the interval of an old stream grows to `keepAliveMs`.
   */
  #scheduleKeepAlive(): void {
    const { keepAliveMs } = this.#limits
    const age = Date.now() - this.#openedAt
    this.#setKeepAlive(Math.min(keepAliveMs, Math.max(FIRST_KEEP_ALIVE_MS, age / 4)))
  }

  #setKeepAlive(delay: number): void {
    this.#keepAliveDueAt = Date.now() + delay
    this.#keepAliveTimer = setTimeout(() => this.#keepAlive(), delay)
  }

  #keepAlive(): void {
    const now = Date.now()
    if (now - this.#lastProgressAt > this.#limits.writeStallMs && this.#pendingBytes > 0) {
      const isOnTime = now - this.#keepAliveDueAt <= MAX_LATE_MS
      if (isOnTime && this.#suspectedAt === this.#lastProgressAt) {
        this.abandon('stalled')
        return
      }
      // On a busy machine this timer may run before the writes that are complete: the next one that is on
      // time decides.
      this.#suspectedAt = this.#lastProgressAt
      this.#setKeepAlive(Math.min(this.#limits.keepAliveMs, FIRST_KEEP_ALIVE_MS))
      return
    }
    if (this.#pendingBytes === 0 && !this.#ended) void this.#write(this.#frames.keepAlive)
    this.#scheduleKeepAlive()
  }

  #stop(): void {
    this.#closed = true
    clearTimeout(this.#keepAliveTimer)
  }
}
