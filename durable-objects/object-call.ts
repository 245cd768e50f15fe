/** Calling a Durable Object that may be starting, moving or gone: bounded in time, tried twice. */

/** The part of a `DurableObjectNamespace` that callers use. */
export interface ObjectNamespace<Rpc> {
  getByName(name: string): Rpc
}

/** How long one try may take. */
const TRY_TIMEOUT_MS = 10_000

/**
 * Runs `call`, and once more where the platform says that a failure is worth another try: a deploy
 * or a move resets the object under a call, and the next one finds it anew.
 *
 * @param call gets its own stub, because a stub whose object was reset stays broken
 * @param discard given an answer that came too late, to let go of what it holds
 * @throws {DOMException} `TimeoutError` when there is no answer in time; the call is not stopped
 */
export async function callObject<T>(
  call: () => Promise<T>,
  timeoutMs: number = TRY_TIMEOUT_MS,
  discard: (late: T) => void = () => undefined,
): Promise<T> {
  try {
    return await withinTime(call(), timeoutMs, discard)
  } catch (error) {
    if (!isRetryable(error)) throw error
    return withinTime(call(), timeoutMs, discard)
  }
}

/** @see https://developers.cloudflare.com/durable-objects/best-practices/error-handling/ */
function isRetryable(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { retryable, overloaded } = error as { retryable?: unknown; overloaded?: unknown }
  return retryable === true && overloaded !== true
}

async function withinTime<T>(
  promise: Promise<T>,
  timeoutMs: number,
  discard: (late: T) => void,
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | null = null
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new DOMException('The object did not answer in time', 'TimeoutError'))
      // A failure that comes too late is nobody's business any more.
      promise.then(discard, () => undefined)
    }, timeoutMs)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
