/** What becomes true by itself: asked for until it does, on a machine however busy. */
import { expect } from 'vitest'

export function eventually<T>(read: () => T) {
  return expect.poll(read, { timeout: 15_000, interval: 20 })
}
