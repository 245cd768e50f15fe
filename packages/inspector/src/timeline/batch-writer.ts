/**
 * Stores the entries of a log in batches after the responses. A request waits for no other one: what it finds being
 * stored takes its entries too.
 */

/** Entries of one call of the log object. */
const BATCH = 200

/** A call that takes longer belongs to a request that has ended: another request stores the rest. */
const STORE_TIMEOUT_MS = 15_000

export interface BatchBounds<Entry> {
  /** Entries that wait to be stored. More are dropped. */
  readonly entries: number
  /** JSON of the entries that wait, in UTF-16 code units. Entries beyond it are dropped. */
  readonly characters: number
  readonly textOf: (entry: Entry) => string
}

export class BatchWriter<Entry> {
  readonly #store: (batch: readonly Entry[]) => Promise<void>
  readonly #bounds: BatchBounds<Entry>
  #queue: Entry[] = []
  #characters = 0
  #storingSince: number | undefined

  constructor(store: (batch: readonly Entry[]) => Promise<void>, bounds: BatchBounds<Entry>) {
    this.#store = store
    this.#bounds = bounds
  }

  add(entry: Entry): void {
    const { entries, characters, textOf } = this.#bounds
    const { length } = textOf(entry)
    if (this.#queue.length >= entries || this.#characters + length > characters) return
    this.#characters += length
    this.#queue.push(entry)
  }

  /** Stores what waits, unless a call of the last seconds does so. @throws what the store throws: its batch is lost */
  async flush(): Promise<void> {
    const now = Date.now()
    const since = this.#storingSince
    if (since !== undefined && now - since < STORE_TIMEOUT_MS) return
    this.#storingSince = now
    try {
      // What the request adds in this turn is stored with it.
      await Promise.resolve()
      while (this.#queue.length > 0) {
        const batch = this.#queue.splice(0, BATCH)
        for (const entry of batch) this.#characters -= this.#bounds.textOf(entry).length
        await this.#store(batch)
      }
    } finally {
      this.#storingSince = undefined
    }
  }
}
