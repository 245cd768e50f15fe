/** Waits for handlers: without a timer while they are quick, and never longer than their timeout. */
import { passTurns } from '../platform/microtask-turns.ts'
import type { Cancellation } from './cancellation.ts'
import { RunError } from './run-error.ts'

/** Resolves with the outcome, or with undefined as soon as one of the calls begins to wait. */
export function beforeWaiting<T>(
  outcome: Promise<T>,
  calls: readonly { readonly cancellation: Cancellation }[],
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    outcome.then(resolve, reject)
    for (const { cancellation } of calls) cancellation.onWaiting(() => resolve(undefined))
  })
}

/** A run that can be interrupted from outside the handler. */
export interface Interruptible {
  /** Calls the listener once, immediately if the run is already interrupted. */
  onInterrupt(listener: (reason: Error) => void): void
}

/**
 * Settles with the outcome of the handler. Rejects with a {@link RunError} when the call is cancelled
 * or exceeds `timeoutMs`, and with the reason of an interruption. A handler that continues after that has
 * no effect on the call.
 */
export function settleOrCancel<T>(
  returned: PromiseLike<T>,
  timeoutMs: number,
  cancellation: Cancellation,
  run: Interruptible,
): Promise<T> {
  const settled = new Promise<T>((resolve, reject) => {
    returned.then(resolve, reject)
    run.onInterrupt(reject)
    cancellation.onCancel(() => reject(new RunError('cancelled', cancellation.reason)))
    cancellation.limit(timeoutMs)
  })
  void noticeWaiting(settled, cancellation)
  return settled
}

async function noticeWaiting(settled: Promise<unknown>, cancellation: Cancellation): Promise<void> {
  if (!(await passTurns('handler', settled))) cancellation.beginWaiting()
}
