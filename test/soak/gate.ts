/** Stops all workers between two operations, so that the ledger can be compared with the server. */
import { bounded } from '../faults/sessions/bounded.ts'

export class Gate {
  readonly #waiting = new Set<() => void>()
  #isClosed = false
  #onArrival: () => void = () => undefined

  /** Resolves when the gate is open. */
  async pass(): Promise<void> {
    while (this.#isClosed) {
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve)
        this.#onArrival()
      })
    }
  }

  /** Closes the gate. Resolves when this many workers wait at it. @throws when they do not in time */
  async close(workers: number, timeoutMs: number): Promise<void> {
    this.#isClosed = true
    const closed = new Promise<void>((resolve) => {
      this.#onArrival = () => {
        if (this.#waiting.size >= workers) resolve()
      }
      this.#onArrival()
    })
    await bounded(closed, 'the end of all operations', timeoutMs)
  }

  open(): void {
    this.#isClosed = false
    this.#onArrival = () => undefined
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const resolve of waiting) resolve()
  }
}
