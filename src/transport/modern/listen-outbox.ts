/**
 * The messages of one subscription on their way to a reader: in order, each once, none dropped. A
 * reader that falls too far behind loses its stream instead, and knows by that what it missed.
 */
import type { CancelReason } from '../../ports/telemetry.ts'
import type { Limits } from '../limits.ts'
import { ResponseStream } from '../sse/response-stream.ts'

export class ListenOutbox {
  readonly #stream: ResponseStream
  readonly #maxWaiting: number
  readonly #messages: string[]
  /**
   * In UTF-16 code units, of which these messages have about as many as bytes. What the reader is
   * taking is not counted: an acknowledgement may be as long as the request it answers.
   */
  #waiting: number
  #last: string | undefined
  #sending = false

  /**
   * @param first sent before anything else
   * @param onLost called once when the reader is gone, takes nothing any more or is too far behind
   */
  constructor(first: string, limits: Limits, onLost: (reason: CancelReason) => void) {
    this.#messages = [first]
    this.#waiting = first.length
    this.#stream = new ResponseStream(limits, onLost)
    this.#maxWaiting = limits.sendBufferBytes
  }

  /** Adds a message. Before the stream is open it waits. */
  push(message: string): void {
    if (this.#last !== undefined) return
    this.#messages.push(message)
    this.#waiting += message.length
    if (!this.#stream.isOpen) return
    if (this.#waiting > this.#maxWaiting) this.abandon('stalled')
    else void this.#send()
  }

  /** Opens the stream and sends what is waiting. */
  open(): ReadableStream<Uint8Array> {
    const body = this.#stream.open()
    void this.#send()
    return body
  }

  /** Ends the stream with a last message, after everything that waits. */
  finish(message: string): void {
    this.#last ??= message
    if (this.#stream.isOpen) void this.#send()
  }

  abandon(reason: CancelReason): void {
    this.#stream.abandon(reason)
  }

  /** One message at a time, so that the stream's own buffer never has a reason to drop one. */
  async #send(): Promise<void> {
    if (this.#sending) return
    this.#sending = true
    for (let next = this.#messages.shift(); next !== undefined; next = this.#messages.shift()) {
      this.#waiting -= next.length
      await this.#stream.send(next)
    }
    this.#sending = false
    if (this.#last !== undefined) await this.#stream.end(this.#last)
  }
}
