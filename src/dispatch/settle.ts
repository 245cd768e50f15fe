/** Waiting for a handler: for free while it is quick, and never for ever. */
import type { Cancellation } from './cancellation.ts'

/**
 * Whether a promise settles within some turns of the microtask queue, that is, without any I/O.
 * It spares the common call its timers, which cost more than the rest of it.
 */
export async function settlesAtOnce(promise: Promise<unknown>, turns: number): Promise<boolean> {
  let settled = false
  const settle = () => {
    settled = true
  }
  promise.then(settle, settle)
  for (let turn = 0; turn < turns && !settled; turn++) await undefined
  return settled
}

/** A call was given up: the caller is gone, or time is up. */
export class CancelledError extends Error {
  override readonly name = 'CancelledError'
}

/** Turns that an `async` handler takes which awaits a few values that are already there. */
const HANDLER_TURNS = 8

/** What can end a run from outside its own code. */
export interface Interruptible {
  /** Calls back once, at once if it has already happened. */
  onInterrupt(listener: (reason: Error) => void): void
}

/**
 * The handler's own outcome, or a {@link CancelledError} once the call is cancelled or has taken
 * `timeoutMs`, or the reason of an interruption. A handler that goes on after that does so unheard.
 */
export async function settleOrCancel<T>(
  promise: Promise<T>,
  timeoutMs: number,
  cancellation: Cancellation,
  run: Interruptible,
): Promise<T> {
  if (await settlesAtOnce(promise, HANDLER_TURNS)) return promise
  let timer: ReturnType<typeof setTimeout> | null = null
  const cancelled = new Promise<never>((_, reject) => {
    timer = setTimeout(() => cancellation.cancel('timeout'), timeoutMs)
    cancellation.onCancel(() => reject(new CancelledError(cancellation.reason)))
    run.onInterrupt(reject)
  })
  try {
    return await Promise.race([promise, cancelled])
  } finally {
    clearTimeout(timer)
  }
}
