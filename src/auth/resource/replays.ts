/** Detects repeated use of a name within one isolate. */

export class Replays {
  /** Expiry times in epoch milliseconds, oldest entry first. */
  readonly #expiries = new Map<string, number>()
  readonly #max: number

  /** @param max when there are more names, the oldest are evicted */
  constructor(max: number) {
    this.#max = max
  }

  delete(name: string): void {
    this.#expiries.delete(name)
  }

  /** Returns whether the name is new, and stores it until it expires. */
  add(name: string, expiresAt: number, now: number): boolean {
    const known = this.#expiries.get(name)
    if (known !== undefined && known > now) return false
    this.#expiries.delete(name)
    for (const [oldest, until] of this.#expiries) {
      if (until > now && this.#expiries.size < this.#max) break
      this.#expiries.delete(oldest)
    }
    this.#expiries.set(name, expiresAt)
    return true
  }
}
