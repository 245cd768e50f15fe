/** Polls a value until it is as expected, with a timeout for a busy machine. */
import { expect } from 'vitest'

export function eventually<T>(read: () => T) {
  return expect.poll(read, { timeout: 60_000, interval: 20 })
}
