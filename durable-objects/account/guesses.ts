/** Guesses under a key: the wrong ones are counted one by one, however many come at once. */
import type { AccountLimits } from '../../src/ports/accounts.ts'
import type { Guessed } from './account-rpc.ts'
import type { AccountStorage } from './account-storage.ts'
import type { GuessRow, Statements } from './schema.ts'

/** Keys of one object; above it, those with the fewest failures go. */
const MAX_KEYS = 10_000
const DROPPED_AT_ONCE = 1_000

export class Guesses {
  readonly #storage: AccountStorage
  /** No fewer than there are, so that they need not be counted each time. */
  #atMost: number | undefined

  constructor(storage: AccountStorage) {
    this.#storage = storage
  }

  guess(key: string, right: boolean, limits: AccountLimits): Guessed {
    const now = Date.now()
    const row = this.#storage.existing?.guesses(key)
    const wait = row === undefined ? 0 : row.wait_until - now
    // What is refused is not counted, or whoever keeps trying would keep everybody out.
    if (wait > 0) return { allowed: false, retryAfterSeconds: Math.ceil(wait / 1000) }
    if (right) return { allowed: true, retryAfterSeconds: 0 }
    this.#storage.change((statements) => {
      if (row === undefined) this.#makeRoom(statements)
      statements.putGuesses(countFailure(row, key, limits, now))
    })
    return { allowed: true, retryAfterSeconds: 0 }
  }

  #makeRoom(statements: Statements): void {
    this.#atMost ??= statements.countGuesses()
    if (this.#atMost >= MAX_KEYS) {
      // Others may have been forgotten since they were counted.
      this.#atMost = statements.countGuesses()
    }
    if (this.#atMost >= MAX_KEYS) {
      statements.deleteLeastGuesses(DROPPED_AT_ONCE)
      this.#atMost -= DROPPED_AT_ONCE
    }
    this.#atMost += 1
  }
}

/** One more failure. So many are free in a window; after that each has to wait, twice as long as the one before. */
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
  // Known for a window after the wait: waiting it out does not make the next guesses free.
  return { key, failures, wait_until: now + wait, due_at: now + wait + throttleWindowMs }
}
