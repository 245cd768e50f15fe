/** Blocks a handler until the test opens the latch. */

const POLL_MS = 2

export interface Latch {
  open(): void
  /**
   * Resolves once the latch is open. Polls, because a handler in a Durable Object cannot await a
   * promise that was created outside the object.
   *
   * @throws the abort reason of the signal
   */
  wait(signal?: AbortSignal): Promise<void>
}

export function createLatch(): Latch {
  let isOpen = false
  return {
    open() {
      isOpen = true
    },
    async wait(signal) {
      while (!isOpen) {
        signal?.throwIfAborted()
        await new Promise((resolve) => setTimeout(resolve, POLL_MS))
      }
    },
  }
}
