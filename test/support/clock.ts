/** Time as a test wants it: ahead of the real one, for the Worker and the objects alike. */
import { onTestFinished, vi } from 'vitest'

const realNow = Date.now
let aheadMs = 0

/** Puts the clock ahead until the test is over; again, further ahead. */
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
