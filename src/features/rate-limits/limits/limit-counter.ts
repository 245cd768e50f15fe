/**
 * Counts the requests of one class: with the platform's rate limiting binding, which all isolates of a
 * location share, or without it in this isolate.
 */
import { withDeadline } from '../../../platform/deadline.ts'
import { sha256Base64Url } from '../../../platform/digest.ts'
import { TokenBuckets } from '../../../platform/token-buckets.ts'

export interface LimitCounter {
  /**
   * Counts one request of a key. Returns 0, or for a key that has reached its limit how long it must wait, in
   * milliseconds. Never throws.
   */
  waitOf(key: string): number | Promise<number>
  /** False where the wait is only known to be no longer. */
  readonly isExact: boolean
}

/** The platform's binding. Limit and period are part of its configuration. */
export interface RateLimitBinding {
  limit(options: { readonly key: string }): Promise<{ readonly success: boolean }>
}

/**
 * Keys with a bucket. It takes as many other keys to reset the count of one, and all of them could send
 * `limit` requests instead.
 */
const MAX_KEYS = 10_000

export function createIsolateCounter(limit: number, periodSeconds: number): LimitCounter {
  const buckets = new TokenBuckets(limit, periodSeconds * 1000, MAX_KEYS)
  return { isExact: true, waitOf: (key) => buckets.take(key, Date.now()) }
}

/** The binding answers from memory of its machine, so this is a fault. */
const BINDING_TIMEOUT_MS = 250
/** After a failure, requests are allowed without a call for this long. */
const BINDING_RETRY_MS = 1_000

/** A request whose count is not known is allowed: a fault of the platform must not refuse it. */
export function createBindingCounter(
  binding: RateLimitBinding,
  periodSeconds: number,
  onError: (error: unknown) => void,
): LimitCounter {
  let retryAt = 0
  const ask = async (key: string): Promise<number> => {
    // A digest, because a key names a person, and may be longer than the platform accepts.
    const { success } = await binding.limit({ key: await sha256Base64Url(key) })
    return success === false ? periodSeconds * 1000 : 0
  }
  return {
    isExact: false,
    async waitOf(key) {
      if (Date.now() < retryAt) return 0
      try {
        return await withDeadline(BINDING_TIMEOUT_MS, ask(key), () => {
          throw new Error('The rate limiting binding did not answer in time')
        })
      } catch (error) {
        retryAt = Date.now() + BINDING_RETRY_MS
        onError(error)
        return 0
      }
    },
  }
}
