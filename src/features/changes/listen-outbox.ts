/**
 * Queues the messages of one subscription: sent in order, none dropped. To a client that reads late, equal
 * notifications that wait are sent once. A client that reads too slowly loses the stream instead, and knows
 * that it must read the resources again.
 */

import type { Limits } from '../../ports/app-limits.ts'
import type { CancelReason } from '../../ports/cancel-reason.ts'
import type { Frames } from '../../transport/sse/frames.ts'
import { ResponseStream } from '../../transport/sse/response-stream.ts'

/**
 * Share of the send buffer above which a notification that waits is not queued again: the client receives
 * it after both changes. A client that reads receives each one, because for it far less waits.
 */
const COALESCED_ABOVE = 1 / 2

/** Messages are written together up to this length, in UTF-16 code units. */
const PAGE_LENGTH = 4 * 1024

export class ListenOutbox {
  readonly #stream: ResponseStream
  readonly #maxQueued: number
  readonly #messages: string[]
  /**
   * In UTF-16 code units. What is being written does not count, because an acknowledgement may be as
   * long as the request it answers.
   */
  #queued: number
  #last: string | undefined
  #sending = false

  /**
   * @param first sent before all other messages
   * @param onLost called once when the client has disconnected, has stopped reading or is too slow
   */
  constructor(
    first: string,
    limits: Limits,
    onLost: (reason: CancelReason) => void,
    frames?: Frames,
  ) {
    this.#messages = [first]
    this.#queued = first.length
    this.#stream = new ResponseStream(limits, onLost, frames)
    this.#maxQueued = limits.sendBufferBytes
  }

  /** Queues a message. It is sent when the stream is open. */
  push(message: string): void {
    this.#push([message], () => true)
  }

  /**
   * Queues the notifications of one message of the hub, which are sent together. One that says only that something
   * has changed is left out when it waits and much else does.
   */
  pushChanges(notifications: readonly string[]): void {
    this.#push(notifications, (notification) => {
      const isLate = this.#queued > this.#maxQueued * COALESCED_ABOVE
      return !isLate || !this.#messages.includes(notification)
    })
  }

  /** Opens the stream and sends the queue. */
  open(): ReadableStream<Uint8Array> {
    const body = this.#stream.open()
    this.#send()
    return body
  }

  /** Ends the stream with a last message after the queue. */
  finish(message: string): void {
    this.#last ??= message
    if (this.#stream.isOpen) this.#send()
  }

  abandon(reason: CancelReason): void {
    this.#stream.abandon(reason)
  }

  /** Writes one page at a time: what is not written yet can still be left out. */
  #send(): void {
    if (this.#sending) return
    while (this.#messages.length > 0) {
      const late = this.#stream.sendTogether(this.#takePage())
      if (late === undefined) continue
      this.#sending = true
      void late.then(() => {
        this.#sending = false
        this.#send()
      })
      return
    }
    if (this.#last !== undefined) void this.#stream.end(this.#last)
  }

  #push(messages: readonly string[], isNeeded: (message: string) => boolean): void {
    if (this.#last !== undefined || messages.length === 0) return
    // Nothing can be written between the changes of one message, so only what waits before them is late.
    if (this.#stream.isOpen && this.#queued > this.#maxQueued) this.abandon('stalled')
    for (const message of messages) {
      if (!isNeeded(message)) continue
      this.#messages.push(message)
      this.#queued += message.length
    }
    if (this.#stream.isOpen) this.#send()
  }

  #takePage(): string[] {
    let length = 0
    let count = 0
    for (const { length: more } of this.#messages) {
      if (count > 0 && length + more > PAGE_LENGTH) break
      length += more
      count++
    }
    this.#queued -= length
    return this.#messages.splice(0, count)
  }
}
