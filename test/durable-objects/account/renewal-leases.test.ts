/** Leases for the renewal of upstream tokens. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { RenewalLeases } from '../../../durable-objects/account/renewal-leases.ts'

describe('RenewalLeases', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: 0 })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('gives the lease of a grant to one request, and of another grant to another', () => {
    const leases = new RenewalLeases()
    expect(leases.take('grant', { id: 'one' })).toBe(true)
    expect(leases.take('grant', { id: 'other' })).toBe(false)
    expect(leases.take('grant', { id: 'one' })).toBe(true)
    expect(leases.take('other-grant', { id: 'other' })).toBe(true)
  })

  it('gives it to the next request when its holder has finished, and not when another one has', () => {
    const leases = new RenewalLeases()
    leases.take('grant', { id: 'one' })
    expect(leases.take('grant', { id: 'other', ends: true })).toBe(false)
    expect(leases.take('grant', { id: 'other' })).toBe(false)
    leases.take('grant', { id: 'one', ends: true })
    expect(leases.take('grant', { id: 'other' })).toBe(true)
  })

  it('gives it to the next request after 15 seconds, when its holder was terminated', () => {
    const leases = new RenewalLeases()
    leases.take('grant', { id: 'one' })
    vi.setSystemTime(14_999)
    expect(leases.take('grant', { id: 'other' })).toBe(false)
    vi.setSystemTime(15_000)
    expect(leases.take('grant', { id: 'other' })).toBe(true)
    expect(leases.take('grant', { id: 'one' })).toBe(false)
  })

  it('does not answer a request without a lease', () => {
    expect(new RenewalLeases().take('grant', undefined)).toBeUndefined()
  })
})
