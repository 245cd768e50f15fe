/**
 * The stream of one answer: notifications, then the response, then its end. It opens only when it is
 * needed, so that a quick answer is JSON.
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

export class ResponseStream {
  readonly #limits: StreamLimits
  readonly #onLost: (reason: CancelReason) => void
  readonly #frames: Frames
  #onOpen: (() => void) | undefined
  #body: ReadableStream<Uint8Array> | undefined
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  /** Whether the client waits for more: what is sent then is read immediately. */
  #isWanted = false
  /** What the client has not read, in slices. */
  readonly #waiting: { readonly slice: Uint8Array; readonly taken: () => void }[] = []
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
    // A stall is measured from the first write that waits.
    if (this.#pendingBytes === 0) this.#lastProgressAt = Date.now()
    this.#pendingBytes += bytes.byteLength
    let last: Promise<void> | undefined
    for (let at = 0; at < bytes.byteLength; at += SLICE_BYTES) {
      last = this.#queue(bytes.subarray(at, at + SLICE_BYTES))
    }
    return last
  }

  /** Resolves when the client has taken the slice, and those before it. */
  #queue(slice: Uint8Array): Promise<void> | undefined {
    if (this.#isWanted) {
      this.#give(slice)
      return
    }
    return new Promise((taken) => this.#waiting.push({ slice, taken }))
  }

  /** The client has taken everything and waits for more. */
  #pull(): void {
    const next = this.#waiting.shift()
    if (next === undefined) {
      this.#isWanted = true
      return
    }
    this.#give(next.slice)
    next.taken()
  }

  #give(slice: Uint8Array): void {
    this.#isWanted = false
    if (slice === END) {
      this.#controller?.close()
      return
    }
    this.#pendingBytes -= slice.byteLength
    this.#lastProgressAt = Date.now()
    this.#controller?.enqueue(slice)
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
