/** Bounds on how long a promise is waited for. */

const TIMEOUT = Symbol('timeout')

/** Maximum delay of a timer, in milliseconds. A longer one would fire immediately. */
export const MAX_TIMER_MS = 2 ** 31 - 1

/** Resolves after a time. */
export function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/**
 * Settles as `promise` does, or once `timeoutMs` have passed as `onTimeout` does: with the value that
 * it returns (by default undefined), or with the error that it throws.
 *
 * The work behind the promise goes on. A later failure of it is ignored; a later value that holds a
 * resource is released by `onTimeout`, which can attach a handler to the promise.
 */
export async function withDeadline<T, Late = undefined>(
  timeoutMs: number,
  promise: Promise<T>,
  onTimeout?: () => Late,
): Promise<T | Late> {
  const { promise: timeout, resolve } = Promise.withResolvers<typeof TIMEOUT>()
  const timer = setTimeout(() => resolve(TIMEOUT), timeoutMs)
  try {
    const outcome = await Promise.race([promise, timeout])
    // Without `onTimeout`, `Late` is undefined.
    return outcome === TIMEOUT ? (onTimeout?.() as Late) : outcome
  } finally {
    clearTimeout(timer)
  }
}

/** {@link withDeadline} for work that can be aborted: the signal fires when the deadline passes or the work ends. */
export async function withAbortDeadline<T, Late = undefined>(
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<T>,
  onTimeout?: () => Late,
): Promise<T | Late> {
  const abort = new AbortController()
  try {
    return await withDeadline(timeoutMs, work(abort.signal), onTimeout)
  } finally {
    abort.abort()
  }
}
