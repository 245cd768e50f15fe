/** The clock of tests of objects. */
import { afterEach, beforeEach, vi } from 'vitest'

/** In the far future, because the platform runs an alarm at once when its time is in the real past. */
export const NOON = Date.UTC(2100, 10, 2, 12)
export const SECOND_MS = 1_000
export const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000

/** Starts every test of a file at {@link NOON}. The objects run in the same isolate and use the same clock. */
export function useFakeClock(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOON })
  })
  afterEach(() => {
    vi.useRealTimers()
  })
}
