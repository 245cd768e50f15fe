/** The object's keys as one isolate knows them: asked for once an hour, and never by a forgery. */
import { CACHE_MS, MAX_STALE_MS } from './rotation.ts'

/** A request waits no longer for the object. */
const LOAD_TIMEOUT_MS = 5_000

/** Nor any longer for another request that asks it, and may have been cut off. */
const FOLLOW_TIMEOUT_MS = 2_000

/** An object that has failed is left alone as long. */
const RETRY_AFTER_MS = 1_000

interface Held<Key> {
  readonly keys: readonly Key[]
  readonly at: number
}
interface Loading<Key> {
  readonly keys: Promise<readonly Key[]>
  readonly since: number
}

/**
 * Requests share one load. It runs in the request that began it, and goes silent with that request:
 * others give it a bounded time, then load for themselves.
 */
export class KeyCache<Key> {
  readonly #fetch: () => Promise<readonly Key[]>
  readonly #now: () => number
  #held: Held<Key> | undefined
  #loading: Loading<Key> | undefined
  #failure: { readonly error: unknown; readonly at: number } | undefined

  constructor(fetch: () => Promise<readonly Key[]>, now: () => number) {
    this.#fetch = fetch
    this.#now = now
  }

  /** @throws whatever the object answered, where no list is young enough to go by */
  async keys(): Promise<readonly Key[]> {
    const now = this.#now()
    const fresh = this.#heldFor(CACHE_MS, now)
    if (fresh !== undefined) return fresh
    const stale = this.#heldFor(CACHE_MS + MAX_STALE_MS, now)
    const loading = isWithin(LOAD_TIMEOUT_MS, this.#loading?.since, now) ? this.#loading : undefined
    if (stale !== undefined && loading !== undefined) return stale
    try {
      if (isWithin(RETRY_AFTER_MS, this.#failure?.at, now)) throw this.#failure?.error
      return await (loading === undefined ? this.#load(now) : this.#follow(loading))
    } catch (error) {
      if (stale !== undefined) return stale
      throw error
    }
  }

  #heldFor(ms: number, now: number): readonly Key[] | undefined {
    return isWithin(ms, this.#held?.at, now) ? this.#held?.keys : undefined
  }

  async #follow(loading: Loading<Key>): Promise<readonly Key[]> {
    const keys = await within(FOLLOW_TIMEOUT_MS, loading.keys)
    if (keys !== undefined) return keys
    if (this.#loading === loading) this.#loading = undefined
    return this.keys()
  }

  async #load(now: number): Promise<readonly Key[]> {
    const loading: Loading<Key> = { keys: this.#ask(now), since: now }
    this.#loading = loading
    try {
      return await loading.keys
    } finally {
      if (this.#loading === loading) this.#loading = undefined
    }
  }

  async #ask(now: number): Promise<readonly Key[]> {
    try {
      const keys = await within(LOAD_TIMEOUT_MS, this.#fetchWithRetry())
      if (keys === undefined) throw new Error('The keyring did not answer in time')
      this.#held = { keys, at: now }
      this.#failure = undefined
      return keys
    } catch (error) {
      this.#failure = { error, at: this.#now() }
      throw error
    }
  }

  /** A deployment resets the object under those who are asking it; the platform says so. */
  async #fetchWithRetry(): Promise<readonly Key[]> {
    try {
      return await this.#fetch()
    } catch (error) {
      const { retryable, overloaded } = error as { retryable?: boolean; overloaded?: boolean }
      if (retryable !== true || overloaded === true) throw error
      return this.#fetch()
    }
  }
}

function isWithin(ms: number, since: number | undefined, now: number): boolean {
  return since !== undefined && now - since < ms
}

/** What the work gives, or undefined when it takes longer. */
async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let timer: number | null = null
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms)
  })
  try {
    return await Promise.race([work, timeout])
  } finally {
    clearTimeout(timer)
  }
}
