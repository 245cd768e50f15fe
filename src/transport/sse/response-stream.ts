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
  #writer: WritableStreamDefaultWriter<Uint8Array> | undefined
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
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    this.#body = readable
    this.#writer = writable.getWriter()
    this.#openedAt = Date.now()
    this.#lastProgressAt = this.#openedAt
    this.#scheduleKeepAlive()
    void this.#write(this.#frames.opening)
    this.#onOpen?.()
    return readable
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
  async sendTogether(messages: readonly string[]): Promise<void> {
    await this.sendEvent(joinBytes(messages.map((json) => this.#frames.message(json))))
  }

  /** Sends one event, regardless of how much is waiting: for callers that await each event. */
  async sendEvent(event: Uint8Array): Promise<void> {
    if (this.#ended) return
    this.open()
    await this.#write(event)
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
    this.#writer?.abort(reason).catch(() => undefined)
    if (isBeforeEnd) this.#onLost(reason)
  }

  async #finish(): Promise<void> {
    if (this.#closed) return
    this.#stop()
    // Closing rejects when the client has disconnected in the meantime, which is a normal end.
    await this.#writer?.close().catch(() => undefined)
  }

  async #write(bytes: Uint8Array): Promise<void> {
    // A stall is measured from the first write that waits.
    if (this.#pendingBytes === 0) this.#lastProgressAt = Date.now()
    this.#pendingBytes += bytes.byteLength
    try {
      await Promise.all(this.#queue(bytes))
    } catch {
      // The client has disconnected. On older versions of the platform this is the only sign of it.
      this.abandon('client-disconnected')
    } finally {
      this.#pendingBytes -= bytes.byteLength
    }
  }

  /** Writes in slices, so that a slow but steady client makes progress and does not count as stalled. */
  #queue(bytes: Uint8Array): Promise<void>[] {
    const writes: Promise<void>[] = []
    for (let at = 0; at < bytes.byteLength; at += SLICE_BYTES) {
      const slice = this.#writer?.write(bytes.subarray(at, at + SLICE_BYTES)) ?? Promise.resolve()
      writes.push(
        slice.then(() => {
          this.#lastProgressAt = Date.now()
        }),
      )
    }
    return writes
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
