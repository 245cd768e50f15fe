/** A cache of values that are loaded from a source which can be slow or fail. */
import { LruMap } from './lru-map.ts'
import { SingleFlight } from './single-flight.ts'

/** Times are epoch milliseconds. */
export interface CacheEntry<V> {
  readonly value: V
  readonly loadedAt: number
  readonly freshUntil: number
  /** From this time on, the entry is not returned stale either. Default: `maxStaleAgeMs` alone decides. */
  readonly usableUntil?: number
}

/** @typeParam Context what a load needs of the request that causes it, besides the key */
export interface RefreshingCacheOptions<V, Context extends readonly unknown[] = []> {
  /**
   * Loads an entry. It must settle within `loadTimeoutMs`.
   *
   * @param previous the cached entry of the key, of any age
   */
  readonly load: (
    key: string,
    previous: CacheEntry<V> | undefined,
    ...context: Context
  ) => Promise<CacheEntry<V>>
  readonly loadTimeoutMs: number
  /** How long a request waits for the load of another request, which may have been terminated. */
  readonly followTimeoutMs: number
  /** Age below which an entry that is not fresh may be returned. 0 returns fresh entries only. */
  readonly maxStaleAgeMs: number
  /** How long a failed load is not repeated. Requests fail with the same error meanwhile. 0 repeats it at once. */
  readonly retryAfterMs: number | ((error: unknown, key: string) => number)
  readonly maxEntries: number
  /** Whether an error of `load` means that the value does not exist any more. Its entry is deleted. */
  readonly isRemoval?: (error: unknown) => boolean
  readonly now: () => number
}

export interface CacheRequest {
  /** An entry of this age or more is loaded again, even if it is fresh. */
  readonly maxAgeMs?: number
  /** Whether a stale entry may be returned when the load fails. Default true. */
  readonly staleIfError?: boolean
  /**
   * Returns a stale entry at once, and receives its load, which can reject: a Worker passes it to
   * `waitUntil`. Default: the request waits for the load.
   */
  readonly background?: ((load: Promise<unknown>) => void) | undefined
}

/**
 * Returns fresh entries. Loads any other entry, once for all concurrent requests of the isolate.
 *
 * While one request loads an entry again, the others get the stale entry. When the load fails, all of
 * them get it. The request that loads waits for the result, or keeps the load in the background: no
 * work outlives its request on Workers.
 */
export class RefreshingCache<V, Context extends readonly unknown[] = []> {
  readonly #options: RefreshingCacheOptions<V, Context>
  readonly #entries: LruMap<CacheEntry<V>>
  readonly #failures: LruMap<{ readonly error: unknown; readonly retryAt: number }>
  readonly #loads: SingleFlight<V>
  #invalidations = 0

  constructor(options: RefreshingCacheOptions<V, Context>) {
    const { maxEntries, followTimeoutMs, loadTimeoutMs, now } = options
    this.#options = options
    this.#entries = new LruMap(maxEntries)
    this.#failures = new LruMap(maxEntries)
    this.#loads = new SingleFlight(followTimeoutMs, loadTimeoutMs, now)
  }

  /** @throws the error of `load`, if no entry may be returned instead */
  async get(
    key: string,
    { maxAgeMs = Number.POSITIVE_INFINITY, staleIfError = true, background }: CacheRequest = {},
    ...context: Context
  ): Promise<V> {
    const startedAt = this.#options.now()
    const entry = this.#entries.get(key)
    if (entry !== undefined && startedAt - entry.loadedAt < maxAgeMs) {
      if (startedAt < entry.freshUntil) return entry.value
      if (this.#isUsable(entry)) {
        if (this.#loads.isRunning(key)) return entry.value
        if (background !== undefined) {
          background(this.#run(key, startedAt, context))
          return entry.value
        }
      }
    }
    try {
      return await this.#run(key, startedAt, context)
    } catch (error) {
      // Read again: the load may have deleted the entry or set an older one.
      const stale = this.#entries.peek(key)
      if (staleIfError && stale !== undefined && this.#isUsable(stale)) return stale.value
      throw error
    }
  }

  /** Returns a fresh value, without marking its entry as used. */
  fresh(key: string): V | undefined {
    const entry = this.#entries.peek(key)
    return entry !== undefined && this.#options.now() < entry.freshUntil ? entry.value : undefined
  }

  /** Returns an entry of any age, without marking it as used. */
  peek(key: string): CacheEntry<V> | undefined {
    return this.#entries.peek(key)
  }

  set(key: string, entry: CacheEntry<V>): void {
    this.#entries.set(key, entry)
  }

  /** Deletes entries. Results of loads that are running are not cached, because they may be outdated. */
  invalidate(matches: (value: V) => boolean): void {
    this.#invalidations += 1
    this.#loads.detach()
    for (const [key, { value }] of this.#entries) {
      if (matches(value)) this.#entries.delete(key)
    }
  }

  #run(key: string, requestedAt: number, context: Context): Promise<V> {
    return this.#loads.run(key, () => this.#load(key, requestedAt, context))
  }

  async #load(key: string, requestedAt: number, context: Context): Promise<V> {
    const { load, isRemoval, now } = this.#options
    const previous = this.#entries.peek(key)
    // Another follower of the same terminated request may have loaded the entry already.
    if (previous !== undefined && previous.loadedAt >= requestedAt && now() < previous.freshUntil) {
      return previous.value
    }
    const failure = this.#failures.peek(key)
    if (failure !== undefined && now() < failure.retryAt) throw failure.error
    const invalidations = this.#invalidations
    try {
      const entry = await load(key, previous, ...context)
      if (invalidations === this.#invalidations) this.#entries.set(key, entry)
      this.#failures.delete(key)
      return entry.value
    } catch (error) {
      const retryAfterMs = this.#retryAfterMs(error, key)
      if (retryAfterMs > 0) this.#failures.set(key, { error, retryAt: now() + retryAfterMs })
      if (isRemoval?.(error) === true) this.#entries.delete(key)
      throw error
    }
  }

  #retryAfterMs(error: unknown, key: string): number {
    const { retryAfterMs } = this.#options
    return typeof retryAfterMs === 'number' ? retryAfterMs : retryAfterMs(error, key)
  }

  #isUsable({ loadedAt, usableUntil = Number.POSITIVE_INFINITY }: CacheEntry<V>): boolean {
    const now = this.#options.now()
    return now - loadedAt < this.#options.maxStaleAgeMs && now < usableUntil
  }
}
