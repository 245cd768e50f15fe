import { describe, expect, it } from 'vitest'
import { ListenerLeases } from '../../../durable-objects/hub/listener-leases.ts'

describe('leases', () => {
  it('are as many as may be held, and free again once released', () => {
    const leases = new ListenerLeases()
    const first = leases.acquire(2, 0, 100)
    expect(leases.acquire(2, 0, 100)).toBeDefined()
    expect(leases.acquire(2, 0, 100)).toBeUndefined()
    first?.release()
    first?.release()
    expect(leases.acquire(2, 0, 100)).toBeDefined()
    expect(leases.acquire(2, 0, 100)).toBeUndefined()
  })

  it('end by themselves where nobody renews them', () => {
    const leases = new ListenerLeases()
    const kept = leases.acquire(2, 0, 100)
    leases.acquire(2, 0, 100)
    kept?.renew(200)
    expect(leases.acquire(2, 99, 199)).toBeUndefined()
    expect(leases.acquire(2, 100, 200)).toBeDefined()
    expect(leases.acquire(2, 199, 299)).toBeUndefined()
  })
})
