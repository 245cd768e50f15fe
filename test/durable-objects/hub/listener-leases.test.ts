import { describe, expect, it } from 'vitest'
import { ListenerLeases } from '../../../durable-objects/hub/listener-leases.ts'

describe('ListenerLeases', () => {
  it('grants no lease above the limit, and grants one again after a release', () => {
    const leases = new ListenerLeases()
    const first = leases.acquire(2, 0, 100)
    expect(leases.acquire(2, 0, 100)).toBeDefined()
    expect(leases.acquire(2, 0, 100)).toBeUndefined()
    first?.release()
    first?.release()
    expect(leases.acquire(2, 0, 100)).toBeDefined()
    expect(leases.acquire(2, 0, 100)).toBeUndefined()
  })

  it('expires a lease that is not renewed', () => {
    const leases = new ListenerLeases()
    const renewed = leases.acquire(2, 0, 100)
    leases.acquire(2, 0, 100)
    renewed?.renew(200)
    expect(leases.acquire(2, 99, 199)).toBeUndefined()
    expect(leases.acquire(2, 100, 200)).toBeDefined()
    expect(leases.acquire(2, 199, 299)).toBeUndefined()
  })
})
