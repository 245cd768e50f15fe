/**
 * Counts failed guesses per key and delays further guesses. Implements the throttle port in the object.
 *
 * Networks of several sizes are counted, because a subscriber has many of the smallest. All counts of a guess are
 * decided in one step, and a guess that one count refuses changes none: a network that waits does not make others wait.
 * A guess takes the room of a wrong one while its secret is verified. A device that has signed in has a count of its
 * own, so that an attack on everyone does not lock out its person.
 */
import type { AccountLimits } from '../../src/ports/account-limits.ts'
import type { PendingGuess, WiderCount } from '../../src/ports/throttle.ts'
import type { ExpiringStorage } from './account-storage.ts'
import type { GuessRow, ThrottleStatements } from './throttle-schema.ts'

/** Keys per object. When it is full, the keys with the fewest failures are deleted. */
const MAX_KEYS = 10_000
const KEYS_DELETED_AT_ONCE = 1_000

interface Counted extends WiderCount {
  readonly row: GuessRow | undefined
}

export class GuessCounters {
  readonly #storage: ExpiringStorage<ThrottleStatements>
  readonly #limits: AccountLimits
  readonly #pending = new PendingGuesses()
  /** An upper bound of the number of keys, so that they are not counted on every guess. */
  #maxKeys: number | undefined

  constructor(storage: ExpiringStorage<ThrottleStatements>, limits: AccountLimits) {
    this.#storage = storage
    this.#limits = limits
  }

  guess(
    counts: readonly WiderCount[],
    correct: boolean,
    pending?: PendingGuess,
  ): { allowed: boolean; retryAfterSeconds: number } {
    const now = Date.now()
    const ends = pending?.ends === true && this.#end(counts, pending, now)
    const { existing } = this.#storage
    const counted = counts.map((count) => ({ ...count, row: existing?.guesses(count.key) }))
    const wait = Math.max(...counted.map(({ row }) => (row?.wait_until ?? 0) - now))
    // A refused guess is not counted: otherwise an attacker could extend the wait without end, and one
    // network that waits could fill the count of all networks.
    if (wait > 0 && !ends) return { allowed: false, retryAfterSeconds: Math.ceil(wait / 1000) }
    if (pending !== undefined && pending.ends !== true) return this.#begin(counted, pending, now)
    if (!correct) {
      this.#storage.write((statements) => {
        for (const { key, capacity, row } of counted) {
          if (row === undefined) this.#makeRoom(statements)
          const throttleFailures = this.#limits.throttleFailures * capacity
          statements.putGuesses(countFailure(row, key, { ...this.#limits, throttleFailures }, now))
        }
      })
    }
    return { allowed: true, retryAfterSeconds: 0 }
  }

  #begin(
    counted: readonly Counted[],
    { id }: PendingGuess,
    now: number,
  ): { allowed: boolean; retryAfterSeconds: number } {
    const { throttleFailures, throttleFirstWaitMs } = this.#limits
    const isFull = counted.some(({ key, capacity, row }) => {
      const known = row !== undefined && now < row.due_at ? row.failures : 0
      // After a wait, the next guess decides about the following one.
      const room = Math.max(throttleFailures * capacity - known, 1)
      return this.#pending.count(key, now) >= room
    })
    if (isFull) return { allowed: false, retryAfterSeconds: Math.ceil(throttleFirstWaitMs / 1000) }
    for (const { key } of counted) this.#pending.add(key, id, now)
    return { allowed: true, retryAfterSeconds: 0 }
  }

  /** Whether the guess was allowed to begin. */
  #end(counts: readonly WiderCount[], { id }: PendingGuess, now: number): boolean {
    return counts.map(({ key }) => this.#pending.delete(key, id, now)).every((known) => known)
  }

  #makeRoom(statements: ThrottleStatements): void {
    let keys = this.#maxKeys ?? statements.countGuesses()
    // The alarm may have deleted some since they were counted.
    if (keys >= MAX_KEYS) keys = statements.countGuesses()
    if (keys >= MAX_KEYS) {
      statements.deleteFewestGuesses(KEYS_DELETED_AT_ONCE)
      keys -= KEYS_DELETED_AT_ONCE
    }
    this.#maxKeys = keys + 1
  }
}

/** Adds one failure. Above the free failures, each failure doubles the wait. */
function countFailure(
  row: GuessRow | undefined,
  key: string,
  limits: AccountLimits,
  now: number,
): GuessRow {
  const { throttleFailures, throttleWindowMs, throttleFirstWaitMs, throttleLongestWaitMs } = limits
  const known = row !== undefined && now < row.due_at ? row : undefined
  const failures = (known?.failures ?? 0) + 1
  if (failures < throttleFailures) {
    return { key, failures, wait_until: 0, due_at: known?.due_at ?? now + throttleWindowMs }
  }
  const wait = Math.min(
    throttleFirstWaitMs * 2 ** (failures - throttleFailures),
    throttleLongestWaitMs,
  )
  // The count outlives the wait by one window, so the guess after a wait is not free.
  return { key, failures, wait_until: now + wait, due_at: now + wait + throttleWindowMs }
}

/** Longer than any verification. A Worker that was killed ends no guess. */
const PENDING_MS = 30_000

/** Keys whose expired guesses are not deleted yet. */
const MAX_PENDING_KEYS = 1_000

/**
 * Guesses whose verification takes time, such as a request to another service. They are counted from their
 * beginning, so that concurrent ones cannot exceed the limit. In memory alone: when the object is evicted, a
 * guess is counted when it ends.
 */
class PendingGuesses {
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
    if (this.#guesses.size >= MAX_PENDING_KEYS) {
      for (const known of this.#guesses.keys()) this.count(known, now)
    }
    const guesses = this.#guesses.get(key) ?? new Map<string, number>()
    this.#guesses.set(key, guesses.set(id, now + PENDING_MS))
  }

  /** Returns whether the guess was pending. */
  delete(key: string, id: string, now: number): boolean {
    if (this.count(key, now) === 0) return false
    return this.#guesses.get(key)?.delete(id) ?? false
  }
}
