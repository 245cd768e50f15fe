/** Stops all workers between two operations, so that the ledger can be compared with the server. */

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

  /** Closes the gate. Resolves when this many workers wait at it. */
  close(workers: number): Promise<void> {
    this.#isClosed = true
    return new Promise((resolve) => {
      this.#onArrival = () => {
        if (this.#waiting.size >= workers) resolve()
      }
      this.#onArrival()
    })
  }

  open(): void {
    this.#isClosed = false
    this.#onArrival = () => undefined
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const resolve of waiting) resolve()
  }
}
