/** How long a request waits for the lease of a grant. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { waitForLease } from '../../../src/auth/login/grant-lease.ts'

/** How long another request has the lease, in milliseconds. */
const LEASE_MS = 15_000

describe('waitForLease', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('asks until there is an answer', async () => {
    let asked = 0
    const answer = waitForLease(async () => (++asked === 5 ? 'mine' : undefined))
    await vi.runAllTimersAsync()
    expect(await answer).toBe('mine')
    expect(asked).toBe(5)
  })

  it('answers undefined after 64 questions, which take longer than one lease', async () => {
    const times: number[] = []
    const began = Date.now()
    const answer = waitForLease(async () => {
      times.push(Date.now() - began)
      return undefined
    })
    await vi.runAllTimersAsync()
    expect(await answer).toBeUndefined()
    expect(times).toHaveLength(64)
    expect(times.at(-1)).toBeGreaterThan(LEASE_MS)
    expect(Date.now() - began).toBe(times.at(-1))
  })
})
