/** Names that one isolate has seen, for as long as they could be used again. */

export class Replays {
  readonly #seen = new Map<string, number>()
  readonly #max: number

  /** @param max more than this are forgotten, the oldest first */
  constructor(max: number) {
    this.#max = max
  }

  /** Whether this is the first time that the name is seen. */
  add(name: string, expiresAt: number, now: number): boolean {
    const known = this.#seen.get(name)
    if (known !== undefined && known > now) return false
    this.#seen.delete(name)
    for (const [oldest, until] of this.#seen) {
      if (until > now && this.#seen.size < this.#max) break
      this.#seen.delete(oldest)
    }
    this.#seen.set(name, expiresAt)
    return true
  }
}
