/** The end of a call before its answer: its caller is gone, or its time is up. */
import type { CancelReason } from '../ports/telemetry.ts'

/**
 * Costs nothing while a call is quick. One that is not says so with `beginWaiting`, and from then on
 * its time counts: a timer costs more than a quick call altogether.
 */
export class Cancellation {
  #controller: AbortController | undefined
  #reason: CancelReason | undefined
  #listeners: (() => void)[] | undefined
  #limitMs: number | undefined
  #timer: ReturnType<typeof setTimeout> | null = null
  #waiting = false
  #onWaiting: (() => void) | undefined

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

  /** Calls back once, at once if it has already happened. */
  onCancel(listener: () => void): void {
    if (this.#reason !== undefined) listener()
    else if (this.#listeners === undefined) this.#listeners = [listener]
    else this.#listeners.push(listener)
  }

  /** Gives the handler this long, from when the call waits. */
  limit(milliseconds: number): void {
    this.#limitMs = milliseconds
    if (this.#waiting) this.#arm()
  }

  /** The handler is done: its time does not matter any more. */
  unlimit(): void {
    this.#limitMs = undefined
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  /** Said before the call waits for anything but itself, such as I/O or a handler that is not quick. */
  beginWaiting(): void {
    if (this.#waiting) return
    this.#waiting = true
    this.#arm()
    this.#onWaiting?.()
  }

  /** Something that the call waits for. */
  waitFor<T>(promise: Promise<T>): Promise<T> {
    this.beginWaiting()
    return promise
  }

  /** Calls one listener back when the call begins to wait, at once if it has begun. */
  onWaiting(listener: () => void): void {
    if (this.#waiting) listener()
    else this.#onWaiting = listener
  }

  /** The first reason stands; later ones change nothing. */
  cancel(reason: CancelReason): void {
    if (this.#reason !== undefined) return
    this.#reason = reason
    // First whoever waits for the handler: its own rejection must not be taken for a failure.
    for (const listener of this.#listeners ?? []) listener()
    this.#controller?.abort(describe(reason))
  }

  #arm(): void {
    if (this.#limitMs === undefined || this.#reason !== undefined) return
    this.#timer = setTimeout(() => this.cancel('timeout'), this.#limitMs)
  }
}

const NAMES: Readonly<Record<CancelReason, readonly [string, string]>> = {
  'client-gone': ['The client closed the connection', 'AbortError'],
  stalled: ['The client stopped reading', 'AbortError'],
  'by-client': ['The client cancelled the request', 'AbortError'],
  'session-ended': ['The session was ended', 'AbortError'],
  'access-revoked': ['The caller would not be let in any more', 'AbortError'],
  timeout: ['The call took longer than it may', 'TimeoutError'],
}

function describe(reason: CancelReason): DOMException {
  return new DOMException(...NAMES[reason])
}
