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

/** What a call comes to, or undefined as soon as one of these calls waits for something. */
export function beforeWaiting<T>(
  outcome: Promise<T>,
  calls: readonly { readonly cancellation: Cancellation }[],
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    outcome.then(resolve, reject)
    for (const { cancellation } of calls) cancellation.onWaiting(() => resolve(undefined))
  })
}

/** Waits for the first of these, and no longer than so many milliseconds. */
export async function firstWithin(
  milliseconds: number,
  ...promises: readonly Promise<unknown>[]
): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | null = null
  const moment = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  await Promise.race([...promises, moment])
  clearTimeout(timer)
}

/** A call was given up: the caller is gone, or time is up. */
export class CancelledError extends Error {
  override readonly name = 'CancelledError'
}

/** Turns that an `async` handler takes which awaits a few values that are already there. */
const HANDLER_TURNS = 16

/** What can end a run from outside its own code. */
export interface Interruptible {
  /** Calls back once, at once if it has already happened. */
  onInterrupt(listener: (reason: Error) => void): void
}

/**
 * The handler's own outcome, or a {@link CancelledError} once the call is cancelled or has taken
 * `timeoutMs`, or the reason of an interruption. A handler that goes on after that does so unheard.
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
    cancellation.onCancel(() => reject(new CancelledError(cancellation.reason)))
    cancellation.limit(timeoutMs)
  })
  void noticeWaiting(settled, cancellation)
  return settled
}

async function noticeWaiting(settled: Promise<unknown>, cancellation: Cancellation): Promise<void> {
  if (!(await settlesAtOnce(settled, HANDLER_TURNS))) cancellation.beginWaiting()
}
