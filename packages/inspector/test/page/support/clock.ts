/** The clock of a test with fake timers. */
import { act } from '@testing-library/preact'
import { vi } from 'vitest'

/** Lets time pass, and the page show what has happened since. */
export async function wait(ms: number): Promise<void> {
  await act(async () => {
    await vi.advanceTimersByTimeAsync(ms)
  })
}
