/**
 * How far the readers of a session's streams are behind. Whoever produces more than a reader takes
 * waits for it, so that nothing must be pruned before it was read; nobody waits for a reader that has
 * left, or that takes nothing for too long.
 */
interface Behind {
  /** Sent and not known to be taken, oldest first. */
  readonly events: { readonly seq: number; readonly size: number }[]
  size: number
  /** A reader is there, or is about to come. */
  attended: boolean
  readonly waiting: (() => void)[]
}

export class ReaderPace {
  readonly #maxEvents: number
  readonly #maxSize: number
  readonly #patienceMs: number
  readonly #streams = new Map<string, Behind>()

  /** @param patienceMs how long a reader may take nothing before it is not waited for */
  constructor(maxEvents: number, maxSize: number, patienceMs: number) {
    this.#maxEvents = maxEvents
    this.#maxSize = maxSize
    this.#patienceMs = patienceMs
  }

  /** A reader has come, or is about to. */
  attend(stream: string): void {
    const behind = this.#streams.get(stream)
    if (behind !== undefined) behind.attended = true
    else this.#streams.set(stream, { events: [], size: 0, attended: true, waiting: [] })
  }

  sent(stream: string, seq: number, size: number): void {
    const behind = this.#streams.get(stream)
    if (behind?.attended !== true) return
    behind.events.push({ seq, size })
    behind.size += size
  }

  taken(stream: string, seq: number): void {
    const behind = this.#streams.get(stream)
    if (behind === undefined) return
    while (behind.events[0] !== undefined && behind.events[0].seq <= seq) {
      behind.size -= behind.events.shift()?.size ?? 0
    }
    if (!this.#isFull(behind)) wake(behind)
  }

  /** The reader has left. */
  leave(stream: string): void {
    const behind = this.#streams.get(stream)
    if (behind === undefined) return
    behind.attended = false
    behind.events.length = 0
    behind.size = 0
    wake(behind)
  }

  /** There is nothing more to come. */
  forget(stream: string): void {
    this.leave(stream)
    this.#streams.delete(stream)
  }

  /** Resolves when more may be sent. */
  async room(stream: string): Promise<void> {
    const behind = this.#streams.get(stream)
    if (behind === undefined || !this.#isFull(behind)) return
    let timer: ReturnType<typeof setTimeout> | null = null
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.#patienceMs)
    })
    const taken = new Promise<boolean>((resolve) => behind.waiting.push(() => resolve(true)))
    if ((await Promise.race([taken, patience])) !== true) this.leave(stream)
    clearTimeout(timer)
  }

  #isFull({ events, size }: Behind): boolean {
    return events.length >= this.#maxEvents || size >= this.#maxSize
  }
}

function wake({ waiting }: Behind): void {
  for (const resolve of waiting.splice(0)) resolve()
}
