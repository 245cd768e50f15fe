/** Cancels a call before its answer: by the client, by disconnection, by revocation or by timeout. */
import type { CancelReason } from '../ports/cancel-reason.ts'

/**
 * A quick call creates no timer and no `AbortController`: a timer costs more than the rest of such a
 * call. A call that waits for I/O calls `beginWaiting`, which starts the timeout.
 */
export class Cancellation {
  #controller: AbortController | undefined
  #reason: CancelReason | undefined
  #listeners: (() => void)[] | undefined
  #limitMs: number | undefined
  #timer: ReturnType<typeof setTimeout> | null = null
  #waiting = false
  #onWaiting: (() => void) | undefined

  /** Whether the connection has ended alone, so that the client may send the request again. */
  get mayRepeat(): boolean {
    return this.#reason === 'client-disconnected' || this.#reason === 'stalled'
  }

  get reason(): CancelReason | undefined {
    return this.#reason
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#reason !== undefined) this.#controller.abort(describe(this.#reason))
    }
    return this.#controller.signal
  }

  /** Calls the listener once, immediately if the call is already cancelled. */
  onCancel(listener: () => void): void {
    if (this.#reason !== undefined) listener()
    else if (this.#listeners === undefined) this.#listeners = [listener]
    else this.#listeners.push(listener)
  }

  /** Sets the timeout of the handler. It starts when the call begins to wait. */
  limit(milliseconds: number): void {
    this.#limitMs = milliseconds
    if (this.#waiting) this.#arm()
  }

  /** Clears the timeout, because the handler has ended. */
  unlimit(): void {
    this.#limitMs = undefined
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  /** Starts the timeout. Called before the call waits for I/O or for a handler that is not quick. */
  beginWaiting(): void {
    if (this.#waiting) return
    this.#waiting = true
    this.#arm()
    this.#onWaiting?.()
  }

  /** Marks the call as waiting and returns the promise. */
  waitFor<T>(promise: Promise<T>): Promise<T> {
    this.beginWaiting()
    return promise
  }

  /** Calls the listener when the call begins to wait, immediately if it already waits. One listener only. */
  onWaiting(listener: () => void): void {
    if (this.#waiting) listener()
    else this.#onWaiting = listener
  }

  /** Cancels the call. Only the first call has an effect. */
  cancel(reason: CancelReason): void {
    if (this.#reason !== undefined) return
    this.#reason = reason
    // The listeners run before the signal is aborted: a handler that rejects because of the signal must
    // not be reported as a failure.
    for (const listener of this.#listeners ?? []) listener()
    this.#controller?.abort(describe(reason))
  }

  #arm(): void {
    if (this.#limitMs === undefined || this.#reason !== undefined) return
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.cancel('timeout'), this.#limitMs)
  }
}

/** The message and name of the `DOMException` in `signal.reason`. */
const DESCRIPTIONS: Readonly<Record<CancelReason, readonly [string, string]>> = {
  'client-disconnected': ['The client closed the connection', 'AbortError'],
  stalled: ['The client stopped reading', 'AbortError'],
  'cancelled-by-client': ['The client cancelled the request', 'AbortError'],
  'session-ended': ['The session was terminated', 'AbortError'],
  'access-revoked': ['The authorization of the caller was revoked', 'AbortError'],
  timeout: ['The call exceeded its timeout', 'TimeoutError'],
}

function describe(reason: CancelReason): DOMException {
  return new DOMException(...DESCRIPTIONS[reason])
}
