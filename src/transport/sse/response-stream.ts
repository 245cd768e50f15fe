/**
 * The stream of one answer: notifications as they come, then the response, then the end. It exists
 * from the first request on but opens only when it is needed, so that a quick answer stays JSON.
 */
import type { CancelReason } from '../../ports/telemetry.ts'
import { EVENTS, type Frames } from './frames.ts'

interface StreamLimits {
  readonly keepAliveMs: number
  readonly sendBufferBytes: number
  readonly writeStallMs: number
}

const SLICE_BYTES = 64 * 1024

/** Between the first comments of a stream. */
const FIRST_BEAT_MS = 1000

export class ResponseStream {
  readonly #limits: StreamLimits
  readonly #onLost: (reason: CancelReason) => void
  readonly #frames: Frames
  #onOpen: (() => void) | undefined
  #body: ReadableStream<Uint8Array> | undefined
  #writer: WritableStreamDefaultWriter<Uint8Array> | undefined
  #heart: ReturnType<typeof setTimeout> | null = null
  #openedAt = 0
  #pendingBytes = 0
  #lastProgressAt = 0
  /** No more messages are taken. */
  #ended = false
  /** Nothing more happens. */
  #closed = false

  /** @param onLost called once when the reader is gone or takes nothing any more */
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

  /** Nothing more can be sent. */
  get isOver(): boolean {
    return this.#ended
  }

  /** Resolves once the stream is open, whoever opens it. */
  get opened(): Promise<void> {
    return this.isOpen ? Promise.resolve() : new Promise((resolve) => (this.#onOpen = resolve))
  }

  /** Opens the stream, once, and returns what its reader reads. */
  open(): ReadableStream<Uint8Array> {
    if (this.#body !== undefined) return this.#body
    const { readable, writable } = new IdentityTransformStream()
    this.#body = readable
    this.#writer = writable.getWriter()
    this.#openedAt = Date.now()
    this.#lastProgressAt = this.#openedAt
    this.#scheduleBeat()
    void this.#write(this.#frames.opening)
    this.#onOpen?.()
    return readable
  }

  /** Sends one message. Resolves when the reader has taken it, or the stream is no more. */
  async send(json: string): Promise<void> {
    if (this.#pendingBytes > this.#limits.sendBufferBytes) return
    await this.sendEvent(this.#frames.message(json))
  }

  /** Sends one event, however much is waiting: for whoever awaits each before the next. */
  async sendEvent(event: Uint8Array): Promise<void> {
    if (this.#ended) return
    this.open()
    await this.#write(event)
  }

  /** Sends the last message, however much is waiting, and ends the stream. */
  async end(json: string): Promise<void> {
    if (this.#ended) return
    this.open()
    this.#ended = true
    await this.#write(this.#frames.message(json))
    if (this.#closed) return
    this.#stop()
    // A reader that left in the meantime is a normal end.
    await this.#writer?.close().catch(() => undefined)
  }

  /** Ends the stream after what was sent. */
  async close(): Promise<void> {
    if (this.#ended) return
    this.#ended = true
    if (this.#closed) return
    this.#stop()
    await this.#writer?.close().catch(() => undefined)
  }

  /** Ends the stream without an answer, or before all of it was taken: nobody reads it any more. */
  abandon(reason: CancelReason): void {
    if (this.#closed) return
    const working = !this.#ended
    this.#ended = true
    this.#stop()
    this.#writer?.abort(reason).catch(() => undefined)
    if (working) this.#onLost(reason)
  }

  async #write(bytes: Uint8Array): Promise<void> {
    // A reader is slow from when it was given something to read.
    if (this.#pendingBytes === 0) this.#lastProgressAt = Date.now()
    this.#pendingBytes += bytes.byteLength
    try {
      await Promise.all(this.#queue(bytes))
    } catch {
      // The reader has gone away: the only sign of it that every version of the platform gives.
      this.abandon('client-gone')
    } finally {
      this.#pendingBytes -= bytes.byteLength
    }
  }

  /** In slices, so that a reader which is slow but steady is seen to read. */
  #queue(bytes: Uint8Array): Promise<void>[] {
    const taken: Promise<void>[] = []
    for (let at = 0; at < bytes.byteLength; at += SLICE_BYTES) {
      const slice = this.#writer?.write(bytes.subarray(at, at + SLICE_BYTES)) ?? Promise.resolve()
      taken.push(
        slice.then(() => {
          this.#lastProgressAt = Date.now()
        }),
      )
    }
    return taken
  }

  /**
   * A client that has gone shows when something is written, so a young stream beats often: whoever
   * gives up on a call of some seconds is noticed in a second, and an old stream costs little.
   */
  #scheduleBeat(): void {
    const { keepAliveMs } = this.#limits
    const age = Date.now() - this.#openedAt
    const delay = Math.min(keepAliveMs, Math.max(FIRST_BEAT_MS, age / 4))
    this.#heart = setTimeout(() => this.#beat(), delay)
  }

  #beat(): void {
    if (Date.now() - this.#lastProgressAt > this.#limits.writeStallMs && this.#pendingBytes > 0) {
      this.abandon('stalled')
      return
    }
    if (this.#pendingBytes === 0 && !this.#ended) void this.#write(this.#frames.keepAlive)
    this.#scheduleBeat()
  }

  #stop(): void {
    this.#closed = true
    clearTimeout(this.#heart)
  }
}
