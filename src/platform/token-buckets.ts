/** Token buckets in memory: one for each key, all of the same size. */
import { LruMap } from './lru-map.ts'

/**
 * A bucket is one number, and a full bucket is none. When there are too many, the least recently used
 * one is dropped, which fills it: its key may use `limit` more tokens, after as many other keys as the
 * capacity have come.
 */
export class TokenBuckets {
  /** When the bucket of a key is full again, in epoch milliseconds. */
  readonly #fullAt: LruMap<number>
  readonly #periodMs: number
  readonly #tokenMs: number

  /** @param limit the tokens of a full bucket. An empty one is full again after `periodMs` */
  constructor(limit: number, periodMs: number, capacity: number) {
    this.#fullAt = new LruMap(capacity)
    this.#periodMs = periodMs
    this.#tokenMs = periodMs / limit
  }

  /** Takes a token from the bucket of a key. Returns 0, or when it is empty the milliseconds until it has a token. */
  take(key: string, now: number): number {
    const ahead = (this.#fullAt.peek(key) ?? 0) - now
    // So much is never missing, unless the clock was set back. Then the bucket is full.
    const missingMs = ahead >= this.#periodMs + this.#tokenMs ? 0 : Math.max(ahead, 0)
    // Half a token of tolerance, because the sum of many tokens is not exact.
    const isAllowed = missingMs + this.#tokenMs / 2 < this.#periodMs
    this.#fullAt.set(key, now + (isAllowed ? missingMs + this.#tokenMs : missingMs))
    return isAllowed ? 0 : missingMs + this.#tokenMs - this.#periodMs
  }
}
