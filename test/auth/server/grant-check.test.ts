import { describe, expect, it } from 'vitest'
import { embedded } from '../../../src/auth/index.ts'
import { AuthClient, statusWith } from './support/client.ts'
import { advance, openDeployment } from './support/deployment.ts'

const SCOPES = { read: 'Read notes' }

describe('a grant that was revoked in another isolate', () => {
  it('is accepted for less than 30 seconds after its last check', async () => {
    const here = openDeployment()
    const elsewhere = openDeployment({}, { bindings: here.bindings })
    const client = await AuthClient.register(here)
    const { access } = await client.tokens()
    expect(await statusWith(elsewhere, access)).toBe(200)
    await client.post('/revoke', { token: access })
    expect(await statusWith(here, access)).toBe(401)
    advance(29_999)
    expect(await statusWith(elsewhere, access)).toBe(200)
    advance(1)
    expect(await statusWith(elsewhere, access)).toBe(401)
  })

  it('is rejected by the next call when the maximum age of a check is 0', async () => {
    const here = openDeployment()
    const limits = { grantCheckMaxAgeMs: 0 }
    const elsewhere = openDeployment({ limits }, { bindings: here.bindings })
    const client = await AuthClient.register(here)
    const { access } = await client.tokens()
    expect(await statusWith(elsewhere, access)).toBe(200)
    await client.post('/revoke', { token: access })
    expect(await statusWith(elsewhere, access)).toBe(401)
  })
})

describe('the limits of embedded()', () => {
  it.each([
    ['grantCheckMs', 1000],
    ['toString', 1000],
    ['grantCheckFreshMs', -1],
    ['grantCheckMaxAgeMs', Number.NaN],
    ['grantCheckMaxAgeMs', Number.POSITIVE_INFINITY],
    ['loginTtlMs', 0],
    ['transactionTtlMs', '600000'],
    ['serviceAccessTtlMs', 30 * 86_400_000 + 1],
    ['serviceAccessTtlMs', null],
  ])('reject %s: %s', (name, value) => {
    expect(() => embedded({ scopes: SCOPES, limits: { [name]: value } })).toThrow(TypeError)
  })

  it('accept 0 for the ages of a grant check', () => {
    const limits = { grantCheckFreshMs: 0, grantCheckMaxAgeMs: 0 }
    expect(() => embedded({ scopes: SCOPES, limits })).not.toThrow()
  })
})
