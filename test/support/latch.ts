/** What a handler waits for until a test lets it go on. */

const POLL_MS = 2

export interface Latch {
  open(): void
  /**
   * Looks again and again, because a promise of the test belongs to another object's life.
   *
   * @throws the reason of the signal
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
