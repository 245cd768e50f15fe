/** A clock that a test moves forward, for the Worker and the Durable Objects. */
import { onTestFinished, vi } from 'vitest'

const realNow = Date.now
let aheadMs = 0

/** Moves the clock forward until the test ends. Further calls add up. */
export function advanceClock(ms: number): void {
  if (aheadMs === 0) {
    const spy = vi.spyOn(Date, 'now').mockImplementation(() => realNow() + aheadMs)
    onTestFinished(() => {
      aheadMs = 0
      spy.mockRestore()
    })
  }
  aheadMs += ms
}
