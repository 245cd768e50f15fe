/** Stores the entries of one environment in batches after the responses, while something reads them. */
import type { Background } from '../../../../src/ports/authenticator.ts'
import type { StoredTraffic, TrafficLease, TrafficStore } from '../objects/traffic/port.ts'
import { BatchWriter } from '../timeline/batch-writer.ts'
import type { EntryOf } from './traffic-entry.ts'

/** An isolate learns at most this late that production is watched. */
const LOOK_INTERVAL_MS = 10_000

/** The entries of an isolate that wait to be stored. */
const BOUNDS = {
  entries: 1_000,
  characters: 2 * 1024 * 1024,
  textOf: ({ entry }: StoredTraffic) => entry,
}

/** An entry before it is stored. */
export interface WrittenEntry {
  readonly at: number
  readonly exchange: string
  readonly entry: EntryOf
  /** See `StoredTraffic`. */
  readonly owner?: string | null
}

export class TrafficWriter {
  readonly #store: TrafficStore
  #until = 0
  #lookAt = 0
  #subjects: ReadonlySet<string> = new Set()
  readonly #writer: BatchWriter<StoredTraffic>

  constructor(store: TrafficStore) {
    this.#store = store
    this.#writer = new BatchWriter(
      async (entries) => this.#renew(await store.append(entries)),
      BOUNDS,
    )
  }

  /** Until when production is watched, in epoch milliseconds. */
  get until(): number {
    return this.#until
  }

  /** Whether this person watches. */
  isWatchedBy(subject: string | undefined): boolean {
    return subject !== undefined && this.#subjects.has(subject)
  }

  write({ at, exchange, entry, owner = null }: WrittenEntry, background: Background): void {
    this.#writer.add({ at, owner, entry: JSON.stringify({ at, exchange, ...entry }) })
    background(
      this.#writer.flush().catch(() => {
        // The batch is lost: without the object, the requests were served all the same.
      }),
    )
  }

  /** Writes an entry from an object, if something reads the entries. */
  async writeIfWatched(entry: WrittenEntry, background: Background): Promise<void> {
    if (this.#isLookDue) await this.#look()
    if (Date.now() < this.#until) this.write(entry, background)
  }

  /** Asks in the background whether production is watched, when it is time to. */
  look(background: Background): void {
    if (this.#isLookDue) background(this.#look())
  }

  get #isLookDue(): boolean {
    return Date.now() >= Math.max(this.#until, this.#lookAt)
  }

  /** Never rejects. */
  async #look(): Promise<void> {
    // Set first, so that the requests that follow do not all ask.
    this.#lookAt = Date.now() + LOOK_INTERVAL_MS
    try {
      this.#renew(await this.#store.lease())
    } catch {
      // The object cannot be reached. It is asked again after the interval.
    }
  }

  #renew({ until, subjects }: TrafficLease): void {
    this.#until = until
    this.#lookAt = Date.now() + LOOK_INTERVAL_MS
    this.#subjects = new Set(subjects)
  }
}
