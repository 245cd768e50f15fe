/** Stores the entries of one environment in batches after the responses, while something reads them. */
import type { Background } from '../../ports/authenticator.ts'
import type { StoredTraffic, TrafficLease, TrafficStore } from '../../ports/traffic.ts'
import { BatchWriter } from '../timeline/batch-writer.ts'

/** An isolate learns at most this late that production is watched. */
const LOOK_INTERVAL_MS = 10_000

/** The entries of an isolate that wait to be stored. */
const BOUNDS = {
  entries: 1_000,
  characters: 2 * 1024 * 1024,
  textOf: ({ entry }: StoredTraffic) => entry,
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

  /** Whether production is watched. */
  isWatched(now: number): boolean {
    return now < this.#until
  }

  /** Whether it is time to ask whether production is watched. */
  isLookDue(now: number): boolean {
    return now >= this.#lookAt
  }

  /** Whether this person watches. */
  isWatchedBy(subject: string | undefined): boolean {
    return subject !== undefined && this.#subjects.has(subject)
  }

  /** Asks in the background whether production is watched. */
  look(now: number, background: Background): void {
    background(this.#look(now))
  }

  /** Writes an entry that belongs to no request, if something reads the entries. */
  writeIfWatched(entry: StoredTraffic, background: Background): void {
    const write = async () => {
      const now = Date.now()
      if (!this.isWatched(now) && this.isLookDue(now)) await this.#look(now)
      if (this.isWatched(now)) this.write(entry, background)
    }
    background(write())
  }

  write(entry: StoredTraffic, background: Background): void {
    this.#writer.add(entry)
    background(
      this.#writer.flush().catch(() => {
        // The batch is lost: without the object, the requests were served all the same.
      }),
    )
  }

  /** Never rejects. */
  async #look(now: number): Promise<void> {
    // Set first, so that the requests that follow do not all ask.
    this.#lookAt = now + LOOK_INTERVAL_MS
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
