import { describe, expect, it } from 'vitest'
import { Leases } from '../../../durable-objects/hub/leases.ts'

describe('leases', () => {
  it('are as many as may be held, and free again once released', () => {
    const leases = new Leases()
    const first = leases.take(2, 0, 100)
    expect(leases.take(2, 0, 100)).toBeDefined()
    expect(leases.take(2, 0, 100)).toBeUndefined()
    first?.release()
    first?.release()
    expect(leases.take(2, 0, 100)).toBeDefined()
    expect(leases.take(2, 0, 100)).toBeUndefined()
  })

  it('end by themselves where nobody renews them', () => {
    const leases = new Leases()
    const kept = leases.take(2, 0, 100)
    leases.take(2, 0, 100)
    kept?.renew(200)
    expect(leases.take(2, 99, 199)).toBeUndefined()
    expect(leases.take(2, 100, 200)).toBeDefined()
    expect(leases.take(2, 199, 299)).toBeUndefined()
  })
})
