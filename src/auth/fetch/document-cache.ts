/**
 * Documents that clients publish, as one isolate knows them: each fetched once for as long as it is
 * fresh, however many requests want it, and gone by for a while longer when its host is down.
 *
 * A failure is remembered for a minute as well, so that nobody can make this server knock at somebody's
 * door over and over. It is a pause between attempts: no error is ever an answer about the document.
 */

import type { DocumentStore, StoredDocument } from '../../ports/documents.ts'
import { within } from '../within.ts'
import { type FreshnessBounds, freshForMs } from './freshness.ts'
import type { FetchFailure, GuardedFetch } from './guarded-fetch.ts'
import { RecentMap } from './recent-map.ts'

export type DocumentResult<T> =
  | { readonly ok: true; readonly value: T }
  /** `invalid`: there is a document, and this is wrong with it. */
  | { readonly ok: false; readonly failure: 'invalid'; readonly error: string }
  | { readonly ok: false; readonly failure: FetchFailure }

export interface DocumentCacheOptions<T> {
  readonly fetch: GuardedFetch
  readonly maxBytes: number
  readonly validate: (
    value: unknown,
    url: string,
  ) => { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: string }
  readonly freshness?: FreshnessBounds
  readonly store?: DocumentStore | undefined
  readonly now?: () => number
  /** How long a failed document is left alone. Default one minute; 0 asks again every time. */
  readonly retryAfterMs?: number
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const FRESHNESS: FreshnessBounds = { min: 5 * MINUTE_MS, max: DAY_MS, otherwise: HOUR_MS }

/** How long after its fetch a document is gone by where no newer one can be had. */
const MAX_STALE_MS = 7 * DAY_MS

const MAX_HELD = 200
const MAX_FAILED = 500

/** A store that takes longer is done without. */
const STORE_TIMEOUT_MS = 1000

/** How long a request waits for the fetch of another one, which may have been cut off with it. */
const FOLLOW_TIMEOUT_MS = 7000

interface Held<T> extends Omit<StoredDocument, 'value'> {
  readonly value: T
}
interface Loading<T> {
  readonly result: Promise<DocumentResult<T>>
  readonly since: number
}
interface Failed<T> {
  readonly result: DocumentResult<T>
  readonly at: number
}

export class DocumentCache<T> {
  readonly #options: DocumentCacheOptions<T>
  readonly #now: () => number
  readonly #retryAfterMs: number
  readonly #held = new RecentMap<Held<T>>(MAX_HELD)
  readonly #failed = new RecentMap<Failed<T>>(MAX_FAILED)
  readonly #loading = new Map<string, Loading<T>>()

  constructor(options: DocumentCacheOptions<T>) {
    this.#options = options
    this.#now = options.now ?? Date.now
    this.#retryAfterMs = options.retryAfterMs ?? MINUTE_MS
  }

  /** @param maxAgeMs a document fetched longer ago than this is fetched again, fresh or not */
  async get(url: string, maxAgeMs = Number.POSITIVE_INFINITY): Promise<DocumentResult<T>> {
    const now = this.#now()
    const held = this.#held.get(url)
    if (held !== undefined && now < held.freshUntil && now - held.fetchedAt <= maxAgeMs) {
      return { ok: true, value: held.value }
    }
    const failed = this.#failed.get(url)
    if (failed !== undefined && now - failed.at < this.#retryAfterMs) {
      return this.#orStale(failed.result, held)
    }
    const loading = this.#loading.get(url)
    if (loading === undefined || now - loading.since >= FOLLOW_TIMEOUT_MS) {
      return this.#lead(url, held)
    }
    const followed = await within(FOLLOW_TIMEOUT_MS, loading.result)
    if (followed !== undefined) return followed
    if (this.#loading.get(url) === loading) this.#loading.delete(url)
    return this.get(url, maxAgeMs)
  }

  /** Loads, for this request and for those that come meanwhile. */
  async #lead(url: string, held: Held<T> | undefined): Promise<DocumentResult<T>> {
    const loading = { result: this.#load(url, held), since: this.#now() }
    this.#loading.set(url, loading)
    try {
      return await loading.result
    } finally {
      if (this.#loading.get(url) === loading) this.#loading.delete(url)
    }
  }

  async #load(url: string, held: Held<T> | undefined): Promise<DocumentResult<T>> {
    const known = held ?? (await this.#stored(url))
    if (held === undefined && known !== undefined && this.#now() < known.freshUntil) {
      this.#held.set(url, known)
      return { ok: true, value: known.value }
    }
    const { fetch, maxBytes, validate, freshness = FRESHNESS } = this.#options
    const answer = await fetch(url, maxBytes)
    if (!answer.ok) return this.#fail(url, { ok: false, failure: answer.failure }, known)
    const document = validate(answer.value, url)
    if (!document.ok) {
      return this.#fail(url, { ok: false, failure: 'invalid', error: document.error }, known)
    }
    const fetchedAt = this.#now()
    const freshUntil = fetchedAt + freshForMs(answer.headers, freshness)
    this.#held.set(url, { value: document.value, fetchedAt, freshUntil })
    await this.#inStore((store) => store.put(url, { value: answer.value, fetchedAt, freshUntil }))
    return { ok: true, value: document.value }
  }

  async #fail(
    url: string,
    result: DocumentResult<T>,
    known: Held<T> | undefined,
  ): Promise<DocumentResult<T>> {
    this.#failed.set(url, { result, at: this.#now() })
    if (isWithdrawn(result)) {
      this.#held.delete(url)
      if (known !== undefined) await this.#inStore((store) => store.delete(url))
    } else if (known !== undefined) {
      this.#held.set(url, known)
    }
    return this.#orStale(result, known)
  }

  #orStale(result: DocumentResult<T>, held: Held<T> | undefined): DocumentResult<T> {
    const stale = held !== undefined && this.#now() - held.fetchedAt < MAX_STALE_MS
    return stale && !isWithdrawn(result) ? { ok: true, value: held.value } : result
  }

  /** Valid by the rules of today, whatever they were when it was stored. */
  async #stored(url: string): Promise<Held<T> | undefined> {
    const stored = await this.#inStore((store) => store.get(url))
    if (stored === undefined) return undefined
    const document = this.#options.validate(stored.value, url)
    return document.ok ? { ...stored, value: document.value } : undefined
  }

  async #inStore<R>(use: (store: DocumentStore) => Promise<R>): Promise<R | undefined> {
    const { store } = this.#options
    if (store === undefined) return undefined
    try {
      return await within(STORE_TIMEOUT_MS, use(store))
    } catch {
      // It saves a fetch, and nothing depends on it.
      return undefined
    }
  }
}

/** The host itself has taken the document back, or put another in its place. */
function isWithdrawn(result: DocumentResult<unknown>): boolean {
  return !result.ok && (result.failure === 'gone' || result.failure === 'invalid')
}
