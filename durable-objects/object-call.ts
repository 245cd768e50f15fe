/** Calls of Durable Objects: bounded in time, and retried once when the object was reset. */
import { withDeadline } from '../src/platform/deadline.ts'
import { isRetryable } from '../src/platform/object-error.ts'
import type { ObjectNamespace } from '../src/ports/objects.ts'

const CALL_TIMEOUT_MS = 10_000

/**
 * Runs `call`, and once more when the platform marks its error as retryable: a deployment or a move
 * resets the object during a call, and the next call reaches the new one.
 *
 * @param call gets a new stub each time, because the stub of a reset object stays broken
 * @param timeoutMs of each of the two calls
 * @param discard releases what a late answer holds
 * @throws {DOMException} `TimeoutError` when an answer takes too long; the object still completes the call
 */
export function callObject<T>(
  call: () => Promise<T>,
  timeoutMs: number = CALL_TIMEOUT_MS,
  discard?: (late: T) => void,
): Promise<T> {
  return retryOnce(() => {
    const answer = call()
    return withDeadline<T, never>(timeoutMs, answer, () => {
      // The caller has received the timeout, so a later error has no reader.
      void answer.then(discard, () => undefined)
      throw new DOMException('The object did not answer in time', 'TimeoutError')
    })
  })
}

/** Calls an object by its name: see {@link callObject}. */
export type CallByName<Rpc> = <T>(
  name: string,
  work: (object: Rpc) => T | Promise<T>,
  timeoutMs?: number,
  discard?: (late: T) => void,
) => Promise<T>

export function callerOf<Rpc>(namespace: ObjectNamespace<Rpc>): CallByName<Rpc> {
  return (name, work, ...bounds) =>
    callObject(async () => await work(namespace.named(name)), ...bounds)
}

/** Runs `call`, and once more when the platform marks its error as retryable. */
export async function retryOnce<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (!isRetryable(error)) throw error
    return call()
  }
}
