/** The keys of the keyring object, cached per isolate. */
import { withDeadline } from '../../src/platform/deadline.ts'
import { RefreshingCache } from '../../src/platform/refreshing-cache.ts'
import { retryOnce } from '../object-call.ts'
import { CACHE_MS, MAX_STALE_MS } from './rotation.ts'

/** How long a request waits for the keyring object when there are no cached keys, as while the object starts on a busy machine. */
const FIRST_LOAD_TIMEOUT_MS = 15_000

/** How long it waits when the cached keys can be used instead. */
const LOAD_TIMEOUT_MS = 5_000

/** How long a request waits for the load of another request, which may have been terminated. */
const FOLLOW_TIMEOUT_MS = 2_000

/** How long the keyring object is not called again after a failure. */
const RETRY_AFTER_MS = 1_000

const KEYS = 'keys'

/**
 * Returns a function that loads the keys at most once an hour, shared by concurrent requests; more often for
 * a caller that needs a lower age. It uses the cached keys for twelve hours more while the keyring object
 * fails, and throws its error after that.
 *
 * @param load calls the keyring object with a new stub each time
 */
export function createKeyCache<Key>(
  load: () => Promise<readonly Key[]>,
  now: () => number,
): (maxAgeMs?: number) => Promise<readonly Key[]> {
  const cache = new RefreshingCache<readonly Key[]>({
    load: async (_, previous) => {
      const loadedAt = now()
      const value = await withDeadline<readonly Key[], never>(
        previous === undefined ? FIRST_LOAD_TIMEOUT_MS : LOAD_TIMEOUT_MS,
        retryOnce(load),
        () => {
          throw new Error('The keyring did not answer in time')
        },
      )
      return { value, loadedAt, freshUntil: loadedAt + CACHE_MS }
    },
    loadTimeoutMs: FIRST_LOAD_TIMEOUT_MS,
    followTimeoutMs: FOLLOW_TIMEOUT_MS,
    maxStaleAgeMs: CACHE_MS + MAX_STALE_MS,
    retryAfterMs: RETRY_AFTER_MS,
    maxEntries: 1,
    now,
  })
  return async (maxAgeMs) => {
    if (maxAgeMs === undefined) return cache.fresh(KEYS) ?? cache.get(KEYS)
    // A load of the same millisecond, or one that is running, may be older than what the caller has done.
    if (maxAgeMs === 0) cache.invalidate(() => true)
    return cache.get(KEYS, { maxAgeMs })
  }
}
