/** The end of a call before its answer. The signal is made only when somebody looks at it. */
import type { CancelReason } from '../ports/telemetry.ts'

export class Cancellation {
  #controller: AbortController | undefined
  #reason: CancelReason | undefined
  readonly #listeners: (() => void)[] = []

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
    if (this.#reason === undefined) this.#listeners.push(listener)
    else listener()
  }

  /** The first reason stands; later ones change nothing. */
  cancel(reason: CancelReason): void {
    if (this.#reason !== undefined) return
    this.#reason = reason
    // First whoever waits for the handler: its own rejection must not be taken for a failure.
    for (const listener of this.#listeners) listener()
    this.#controller?.abort(describe(reason))
  }
}

const NAMES: Readonly<Record<CancelReason, readonly [string, string]>> = {
  'client-gone': ['The client closed the connection', 'AbortError'],
  stalled: ['The client stopped reading', 'AbortError'],
  'by-client': ['The client cancelled the request', 'AbortError'],
  'session-ended': ['The session was ended', 'AbortError'],
  timeout: ['The call took longer than it may', 'TimeoutError'],
}

function describe(reason: CancelReason): DOMException {
  return new DOMException(...NAMES[reason])
}
