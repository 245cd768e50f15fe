/** Stores the entries of one environment in batches after the responses, while something reads them. */
import type { Background } from '../../ports/authenticator.ts'
import type { StoredTraffic, TrafficLease, TrafficStore } from '../../ports/traffic.ts'

/** An isolate learns at most this late that production is watched. */
const LOOK_INTERVAL_MS = 10_000

/** Entries of an isolate that wait to be stored. More are dropped. */
const MAX_QUEUE = 1_000

/** JSON of the entries that wait, in UTF-16 code units. */
const MAX_QUEUED_CHARACTERS = 2 * 1024 * 1024

/** Entries of one call. */
const BATCH = 200

/** A call that takes longer belongs to a request that has ended: another request stores the rest. */
const STORE_TIMEOUT_MS = 15_000

export class TrafficWriter {
  readonly #store: TrafficStore
  #until = 0
  #lookAt = 0
  #subjects: ReadonlySet<string> = new Set()
  #queue: StoredTraffic[] = []
  #characters = 0
  #storingSince: number | undefined

  constructor(store: TrafficStore) {
    this.#store = store
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
    if (this.#queue.length >= MAX_QUEUE) return
    if (this.#characters + entry.entry.length > MAX_QUEUED_CHARACTERS) return
    this.#characters += entry.entry.length
    this.#queue.push(entry)
    const now = Date.now()
    const since = this.#storingSince
    if (since !== undefined && now - since < STORE_TIMEOUT_MS) return
    this.#storingSince = now
    background(this.#storeQueue())
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

  /** Never rejects: without the object, the requests were served all the same. */
  async #storeQueue(): Promise<void> {
    try {
      // What the request writes in this turn is stored with it.
      await Promise.resolve()
      while (this.#queue.length > 0) {
        const batch = this.#queue.splice(0, BATCH)
        for (const { entry } of batch) this.#characters -= entry.length
        this.#renew(await this.#store.append(batch))
      }
    } catch {
      // The entries are lost. The next ones try again.
    } finally {
      this.#storingSince = undefined
    }
  }

  #renew({ until, subjects }: TrafficLease): void {
    this.#until = until
    this.#lookAt = Date.now() + LOOK_INTERVAL_MS
    this.#subjects = new Set(subjects)
  }
}
