/**
 * Guesses whose verification takes time, such as a request to another service. They are counted from their
 * beginning, so that concurrent ones cannot exceed the limit. In memory alone: when the object is evicted, a
 * guess is counted when it ends.
 */

/** Longer than any verification. A Worker that was killed ends no guess. */
const LIFETIME_MS = 30_000

/** Keys whose expired guesses are not deleted yet. */
const MAX_KEYS = 1_000

export class PendingGuesses {
  /** By key: the ids of its guesses with the time at which each expires. */
  readonly #guesses = new Map<string, Map<string, number>>()

  count(key: string, now: number): number {
    const guesses = this.#guesses.get(key)
    if (guesses === undefined) return 0
    for (const [id, expiresAt] of guesses) if (expiresAt <= now) guesses.delete(id)
    if (guesses.size === 0) this.#guesses.delete(key)
    return guesses.size
  }

  add(key: string, id: string, now: number): void {
    if (this.#guesses.size >= MAX_KEYS) {
      for (const known of this.#guesses.keys()) this.count(known, now)
    }
    const guesses = this.#guesses.get(key) ?? new Map<string, number>()
    this.#guesses.set(key, guesses.set(id, now + LIFETIME_MS))
  }

  /** Returns whether the guess was pending. */
  delete(key: string, id: string, now: number): boolean {
    if (this.count(key, now) === 0) return false
    return this.#guesses.get(key)?.delete(id) ?? false
  }
}
