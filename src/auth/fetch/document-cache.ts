/**
 * Documents that clients publish, cached per isolate and in a store that isolates share. A document is
 * fetched once while it is fresh. While its host fails, the last document is used for seven days.
 *
 * A failure is not cached: the next request asks the host again. So that requests cannot make this server send many
 * requests to another host, a document in use is fetched again a minute after a failure at the earliest, and a
 * document that is missing at most five times a minute.
 *
 * @see https://www.ietf.org/archive/id/draft-ietf-oauth-client-id-metadata-document-00.html#section-4.4
 */

import { withDeadline } from '../../platform/deadline.ts'
import { LruMap } from '../../platform/lru-map.ts'
import { type CacheEntry, RefreshingCache } from '../../platform/refreshing-cache.ts'
import type { Result } from '../../platform/result.ts'
import type { DocumentStore } from '../../ports/documents.ts'
import { type FreshnessBounds, freshForMs } from './freshness.ts'
import type { FetchFailure, GuardedFetch } from './guarded-fetch.ts'
import { RemoteError } from './remote-error.ts'

export type DocumentResult<T> =
  | { readonly ok: true; readonly value: T }
  | ({ readonly ok: false } & DocumentFailure)

export type DocumentFailure =
  /** `invalid`: the document exists, and `error` says what is wrong with it. */
  { readonly failure: 'invalid'; readonly error: string } | { readonly failure: FetchFailure }

/** Called before this isolate looks for a document that it does not have. It can refuse that with an error. */
export type BeforeFirst = () => Promise<void>

export interface DocumentRequest {
  readonly maxAgeMs?: number | undefined
  readonly beforeFirst?: BeforeFirst | undefined
}

export interface DocumentCacheOptions<T> extends DocumentSource {
  readonly maxBytes: number
  readonly validate: (value: unknown, url: string) => Result<T>
  readonly freshness?: FreshnessBounds
}

export interface DocumentSource {
  readonly fetch: GuardedFetch
  readonly store?: DocumentStore | undefined
  readonly now?: () => number
  /**
   * How long a document in use is not fetched again after a failure, and how long failures without one count.
   * Default one minute; 0 retries at once.
   */
  readonly retryAfterMs?: number
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const FRESHNESS: FreshnessBounds = { min: 5 * MINUTE_MS, max: DAY_MS, otherwise: HOUR_MS }

/** Age below which a document is used while its host fails. */
const MAX_STALE_AGE_MS = 7 * DAY_MS

const MAX_DOCUMENTS = 200

/** For one URL without a document, within `retryAfterMs`. */
const MAX_FAILURES = 5
const MAX_FAILED_URLS = 500

/** The store is optional: it saves a fetch. An operation that takes longer is skipped. */
const STORE_TIMEOUT_MS = 1000

/** A fetch and two operations of the store. */
const LOAD_TIMEOUT_MS = 7000

export class DocumentCache<T> {
  readonly #options: DocumentCacheOptions<T>
  readonly #now: () => number
  readonly #retryAfterMs: number
  readonly #documents: RefreshingCache<T>
  /** The times of failed fetches, of URLs without a document. */
  readonly #failures = new LruMap<readonly number[]>(MAX_FAILED_URLS)

  constructor(options: DocumentCacheOptions<T>) {
    const { now = Date.now, retryAfterMs = MINUTE_MS } = options
    this.#options = options
    this.#now = now
    this.#retryAfterMs = retryAfterMs
    this.#documents = new RefreshingCache({
      load: (url, previous) => this.#load(url, previous),
      loadTimeoutMs: LOAD_TIMEOUT_MS,
      followTimeoutMs: LOAD_TIMEOUT_MS,
      maxStaleAgeMs: MAX_STALE_AGE_MS,
      retryAfterMs: (error, url) => (this.#isKept(url, error) ? retryAfterMs : 0),
      maxEntries: MAX_DOCUMENTS,
      isRemoval: isRemoved,
      now,
    })
  }

  /**
   * @param maxAgeMs a document of this age or more is fetched again, even if it is fresh
   * @throws what `beforeFirst` throws
   */
  async get(
    url: string,
    { maxAgeMs, beforeFirst }: DocumentRequest = {},
  ): Promise<DocumentResult<T>> {
    if (beforeFirst !== undefined && this.#documents.peek(url) === undefined) await beforeFirst()
    try {
      const value = await this.#documents.get(url, maxAgeMs === undefined ? {} : { maxAgeMs })
      return { ok: true, value }
    } catch (error) {
      if (error instanceof RemoteError) return { ok: false, ...failureOf(error) }
      throw error
    }
  }

  async #load(url: string, previous: CacheEntry<T> | undefined): Promise<CacheEntry<T>> {
    const failures = this.#recentFailures(url)
    if (!this.#isUsable(previous) && failures.length >= MAX_FAILURES) {
      throw failed('unreachable')
    }
    const known = previous ?? (await this.#readStore(url))
    if (previous === undefined && known !== undefined) {
      if (this.#now() < known.freshUntil) return known
      // Used if the fetch fails.
      this.#documents.set(url, known)
    }
    try {
      return await this.#fetch(url)
    } catch (error) {
      if (!(error instanceof RemoteError) || this.#isKept(url, error)) throw error
      if (isRemoved(error) && known !== undefined)
        await this.#useStore((store) => store.delete(url))
      this.#failures.set(url, [...failures, this.#now()])
      throw error
    }
  }

  /** Whether the document from before a failure stays in use. */
  #isKept(url: string, error: unknown): boolean {
    return (
      error instanceof RemoteError && !isRemoved(error) && this.#isUsable(this.#documents.peek(url))
    )
  }

  #isUsable(entry: CacheEntry<T> | undefined): boolean {
    return entry !== undefined && this.#now() - entry.loadedAt < MAX_STALE_AGE_MS
  }

  #recentFailures(url: string): readonly number[] {
    const now = this.#now()
    return (this.#failures.peek(url) ?? []).filter((at) => now - at < this.#retryAfterMs)
  }

  async #fetch(url: string): Promise<CacheEntry<T>> {
    const { fetch, maxBytes, validate, freshness = FRESHNESS } = this.#options
    const response = await fetch(url, maxBytes)
    if (!response.ok) throw failed(response.failure)
    const document = validate(response.value, url)
    if (!document.ok) throw failed('invalid', document.error)
    const loadedAt = this.#now()
    const freshUntil = loadedAt + freshForMs(response.headers, freshness, loadedAt)
    await this.#useStore((store) =>
      store.put(url, { value: response.value, fetchedAt: loadedAt, freshUntil }),
    )
    return { value: document.value, loadedAt, freshUntil }
  }

  /** Validates what was stored: the rules may have changed since. */
  async #readStore(url: string): Promise<CacheEntry<T> | undefined> {
    const stored = await this.#useStore((store) => store.get(url))
    if (stored === undefined) return undefined
    const { value, fetchedAt, freshUntil } = stored
    const document = this.#options.validate(value, url)
    return document.ok ? { value: document.value, loadedAt: fetchedAt, freshUntil } : undefined
  }

  async #useStore<R>(use: (store: DocumentStore) => Promise<R>): Promise<R | undefined> {
    const { store } = this.#options
    if (store === undefined) return undefined
    try {
      return await withDeadline(STORE_TIMEOUT_MS, use(store))
    } catch {
      // The document is fetched instead.
      return undefined
    }
  }
}

const failed = (code: DocumentFailure['failure'], message: string = code) =>
  new RemoteError(message, { code })

const failureOf = ({ code, message }: RemoteError): DocumentFailure =>
  code === 'invalid' ? { failure: code, error: message } : { failure: code as FetchFailure }

/** The host has deleted the document, or replaced it by an invalid one. */
const isRemoved = (error: unknown): boolean =>
  error instanceof RemoteError && (error.code === 'gone' || error.code === 'invalid')
