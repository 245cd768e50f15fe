/** For how many different arguments each holder has leased a listener at the upstream. */
import type { LogStorage } from './log-storage.ts'

/** How often leases that have ended are forgotten, in milliseconds. */
const SWEEP_MS = 60_000

/** In memory: a restart forgets what was leased, so a holder has at most twice its limit after one. */
export class LeaseCounts {
  readonly #storage: LogStorage
  /** When each lease ends, by the digest of its arguments, by holder. */
  readonly #ends = new Map<string, Map<string, number>>()
  #sweepAt = 0

  constructor(storage: LogStorage) {
    this.#storage = storage
  }

  /**
   * Takes or renews a lease. False when the holder has leases of too many other arguments.
   *
   * @param key the digest of the arguments
   */
  take(holder: string, key: string, forMs: number): boolean {
    const { now, limits } = this.#storage
    if (now >= this.#sweepAt) this.#sweep(now)
    const ends = this.#ends.get(holder) ?? new Map<string, number>()
    forgetEnded(ends, now)
    if (!ends.has(key) && ends.size >= limits.upstreamsPerPrincipal) return false
    ends.set(key, now + forMs)
    this.#ends.set(holder, ends)
    return true
  }

  #sweep(now: number): void {
    this.#sweepAt = now + SWEEP_MS
    for (const [holder, ends] of this.#ends) {
      forgetEnded(ends, now)
      if (ends.size === 0) this.#ends.delete(holder)
    }
  }
}

function forgetEnded(ends: Map<string, number>, now: number): void {
  for (const [key, end] of ends) if (end <= now) ends.delete(key)
}
