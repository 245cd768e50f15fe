/** Work that several requests want at the same time, done by one of them. */
import { within } from '../within.ts'

/** What was cut off stays behind until somebody asks for the same; never more of it than this. */
const MAX_RUNNING = 1_000

/**
 * Requests share one run of the same work, its failure included.
 *
 * A promise of another request settles only while that request lives: cut off, it goes silent, its
 * timers with it. So who follows waits with a timer of its own, and does the work itself when that is
 * up; nothing of the other request's is touched but the outcome.
 */
export class SingleFlight<T extends object> {
  readonly #running = new Map<string, Promise<T>>()
  readonly #followTimeoutMs: number

  /** @param followTimeoutMs as long as the work takes on a bad day */
  constructor(followTimeoutMs: number) {
    this.#followTimeoutMs = followTimeoutMs
  }

  isRunning(key: string): boolean {
    return this.#running.has(key)
  }

  /** From now on nobody follows what runs: something has happened that it may not know of. */
  detach(): void {
    this.#running.clear()
  }

  async run(key: string, work: () => Promise<T>): Promise<T> {
    const running = this.#running.get(key)
    if (running === undefined) return this.#lead(key, work)
    const outcome = await within(this.#followTimeoutMs, running)
    if (outcome !== undefined) return outcome
    if (this.#running.get(key) === running) this.#running.delete(key)
    return this.run(key, work)
  }

  async #lead(key: string, work: () => Promise<T>): Promise<T> {
    const [oldest] = this.#running.size < MAX_RUNNING ? [] : this.#running.keys()
    if (oldest !== undefined) this.#running.delete(oldest)
    const leading = work()
    this.#running.set(key, leading)
    try {
      return await leading
    } finally {
      if (this.#running.get(key) === leading) this.#running.delete(key)
    }
  }
}
