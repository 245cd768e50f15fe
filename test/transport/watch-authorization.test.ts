/** The checks of the caller of an open stream. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { TelemetryEvent } from '../../src/ports/telemetry.ts'
import { watchAuthorization } from '../../src/transport/watch-authorization.ts'

const SECOND_MS = 1000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
})
afterEach(() => {
  vi.useRealTimers()
})

function watch(isStillAuthorized: (() => Promise<boolean>) | undefined) {
  const events: TelemetryEvent[] = []
  const onRevoked = vi.fn()
  const endpoint = { report: (event: TelemetryEvent) => void events.push(event) }
  const stop = watchAuthorization({ isStillAuthorized, endpoint } as never, onRevoked)
  return { events, onRevoked, stop }
}

describe('watchAuthorization', () => {
  it('ends the stream at the first check after a revocation, once', async () => {
    let isAuthorized = true
    const { onRevoked } = watch(async () => isAuthorized)
    await vi.advanceTimersByTimeAsync(60 * SECOND_MS)
    expect(onRevoked).not.toHaveBeenCalled()
    isAuthorized = false
    await vi.advanceTimersByTimeAsync(120 * SECOND_MS)
    expect(onRevoked).toHaveBeenCalledTimes(1)
  })

  it('ends the stream after twenty failed checks in a row, and reports each', async () => {
    const error = new Error('Too many subrequests')
    const { onRevoked, events } = watch(async () => {
      throw error
    })
    await vi.advanceTimersByTimeAsync(19 * 30 * SECOND_MS)
    expect(onRevoked).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(300 * SECOND_MS)
    expect(onRevoked).toHaveBeenCalledTimes(1)
    expect(events).toEqual(Array.from({ length: 20 }, () => ({ type: 'internal-error', error })))
  })

  it('counts again after a check that did not fail', async () => {
    let checks = 0
    const { onRevoked } = watch(async () => {
      checks++
      if (checks % 20 !== 0) throw new Error('away')
      return true
    })
    await vi.advanceTimersByTimeAsync(100 * 30 * SECOND_MS)
    expect([checks, onRevoked.mock.calls.length]).toEqual([100, 0])
  })

  it('checks nothing after it was stopped, and on a server without authorization', async () => {
    const check = vi.fn(async () => false)
    const watched = watch(check)
    watched.stop()
    const open = watch(undefined)
    await vi.advanceTimersByTimeAsync(60 * SECOND_MS)
    expect([check.mock.calls.length, watched.onRevoked.mock.calls.length]).toEqual([0, 0])
    expect(open.onRevoked).not.toHaveBeenCalled()
  })
})
