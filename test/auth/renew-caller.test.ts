import { describe, expect, it, vi } from 'vitest'
import { createRenewal } from '../../src/auth/renew-caller.ts'
import type { CallerRecord } from '../../src/ports/authenticator.ts'

const HOUR_MS = 3_600_000

const AUTH = {
  issuer: 'https://issuer.example',
  subject: 'anna',
  clientId: 'app',
  scopes: ['read', 'write'],
  resource: 'https://mcp.example.com/mcp',
  props: { tier: 'gold' },
}

function recordOf(changes: Partial<CallerRecord> = {}): CallerRecord {
  return { auth: AUTH, grant: undefined, at: Date.now(), ...changes }
}

describe('the renewal of a caller without a grant', () => {
  it.each([
    ['23 hours', 23 * HOUR_MS, true],
    ['25 hours', 25 * HOUR_MS, false],
  ])(
    'decides about a caller that authenticated %s ago by the default of 24 hours',
    async (_, age, isAuthorized) => {
      const renewed = await createRenewal({})(recordOf({ at: Date.now() - age }), {})
      expect(renewed).toEqual(isAuthorized ? AUTH : undefined)
    },
  )

  it('decides by unattendedMs', async () => {
    const renew = createRenewal({ unattendedMs: 1000 })
    expect(await renew(recordOf({ at: Date.now() - 2000 }), {})).toBeUndefined()
    expect(await renew(recordOf(), {})).toEqual(AUTH)
  })

  it('asks renewCaller, with the environment, for a caller of any age', async () => {
    const renewCaller = vi.fn(() => ({ ...AUTH, scopes: ['read'], props: { tier: 'silver' } }))
    const env = { name: 'env' }
    const renewed = await createRenewal({ renewCaller, unattendedMs: 1 })(recordOf({ at: 0 }), env)
    expect(renewCaller).toHaveBeenCalledWith(AUTH, env)
    expect(renewed).toEqual({ ...AUTH, scopes: ['read'], props: { tier: 'silver' } })
  })

  it('ignores another subject, issuer, client or resource that renewCaller returns', async () => {
    const { props: _, ...expected } = { ...AUTH, scopes: [] }
    const other = {
      issuer: 'https://evil.example',
      subject: 'eve',
      clientId: 'other',
      scopes: [],
      resource: 'https://elsewhere.example',
    }
    expect(await createRenewal({ renewCaller: () => other })(recordOf(), {})).toEqual(expected)
  })

  it('ends the access when renewCaller returns undefined', async () => {
    const renewCaller = async () => undefined
    expect(await createRenewal({ renewCaller })(recordOf(), {})).toBeUndefined()
  })

  it('rejects when renewCaller throws, so that the run tries again', async () => {
    const renewCaller = () => {
      throw new Error('unreachable')
    }
    await expect(createRenewal({ renewCaller })(recordOf(), {})).rejects.toThrow('unreachable')
  })
})

describe('the renewal of a caller with a grant', () => {
  const grant = { id: 'the-grant', sealedKey: 'the-key' }

  it('returns the present props of the grant, and does not ask renewCaller', async () => {
    const checkGrant = vi.fn(async () => ({ active: true, props: { tier: 'present' } }))
    const renewCaller = vi.fn()
    const renew = createRenewal({ renewCaller }, () => checkGrant)
    expect(await renew(recordOf({ grant, at: 0 }), {})).toEqual({
      ...AUTH,
      props: { tier: 'present' },
    })
    expect(checkGrant).toHaveBeenCalledWith({
      subject: 'anna',
      clientId: AUTH.clientId,
      grantId: 'the-grant',
      grantKey: 'the-key',
      issuedAt: 0,
    })
    expect(renewCaller).not.toHaveBeenCalled()
  })

  it('ends the access when the grant is not active', async () => {
    const renew = createRenewal({}, () => async () => ({ active: false }))
    expect(await renew(recordOf({ grant }), {})).toBeUndefined()
  })

  it('ends the access on a server that has no grants any more', async () => {
    expect(await createRenewal({})(recordOf({ grant }), {})).toBeUndefined()
  })
})
