/**
 * Flow control of a session's streams: a run that sends faster than its reader acknowledges waits, so
 * that no event is pruned before it was read. A run does not wait for a reader that has disconnected or
 * that acknowledges nothing for too long.
 */
import { withDeadline } from '../../src/platform/deadline.ts'

/** What a reader has not acknowledged. */
interface Backlog {
  /** Oldest first. */
  readonly events: { readonly seq: number; readonly size: number }[]
  size: number
  /** Whether a reader is connected or about to connect. */
  hasReader: boolean
  /** Resolve the calls of `waitForCapacity`. */
  readonly waiting: (() => void)[]
}

export class FlowControl {
  readonly #maxEvents: number
  readonly #maxSize: number
  readonly #stallMs: number
  readonly #streams = new Map<string, Backlog>()

  /** @param stallMs a reader that acknowledges nothing for this long is treated as disconnected */
  constructor(maxEvents: number, maxSize: number, stallMs: number) {
    this.#maxEvents = maxEvents
    this.#maxSize = maxSize
    this.#stallMs = stallMs
  }

  /** A reader is connected or about to connect. */
  connect(stream: string): void {
    const backlog = this.#streams.get(stream)
    if (backlog !== undefined) backlog.hasReader = true
    else this.#streams.set(stream, { events: [], size: 0, hasReader: true, waiting: [] })
  }

  disconnect(stream: string): void {
    const backlog = this.#streams.get(stream)
    if (backlog === undefined) return
    backlog.hasReader = false
    backlog.events.length = 0
    backlog.size = 0
    release(backlog)
  }

  /** The stream has ended. */
  remove(stream: string): void {
    this.disconnect(stream)
    this.#streams.delete(stream)
  }

  sent(stream: string, seq: number, size: number): void {
    const backlog = this.#streams.get(stream)
    if (backlog?.hasReader !== true) return
    backlog.events.push({ seq, size })
    backlog.size += size
  }

  /** The reader has this event and all before it. */
  acknowledge(stream: string, seq: number): void {
    const backlog = this.#streams.get(stream)
    if (backlog === undefined) return
    while (backlog.events[0] !== undefined && backlog.events[0].seq <= seq) {
      backlog.size -= backlog.events.shift()?.size ?? 0
    }
    if (!this.#isFull(backlog)) release(backlog)
  }

  /** Resolves when more may be sent. */
  async waitForCapacity(stream: string): Promise<void> {
    const backlog = this.#streams.get(stream)
    if (backlog === undefined || !this.#isFull(backlog)) return
    const capacity = new Promise<void>((resolve) => backlog.waiting.push(resolve))
    await withDeadline(this.#stallMs, capacity, () => this.disconnect(stream))
  }

  #isFull({ events, size }: Backlog): boolean {
    return events.length >= this.#maxEvents || size >= this.#maxSize
  }
}

function release({ waiting }: Backlog): void {
  for (const resolve of waiting.splice(0)) resolve()
}
