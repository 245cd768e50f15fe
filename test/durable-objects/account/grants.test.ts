/** The grants, consents and ended sign-ins of a subject. */
import { describe, expect, it } from 'vitest'
import type { NewGrant } from '../../../src/ports/grant.ts'
import { verifies } from '../../support/verifies.ts'
import { openAccounts } from './account.ts'
import {
  advance,
  connect,
  DAY_MS,
  GRANT,
  HOUR_MS,
  INVALID_GRANT,
  isActive,
  issued,
  NOON,
  redemptionOf,
  refreshOf,
  refreshWith,
  useFakeClock,
} from './grant-requests.ts'

useFakeClock()

const open = async (changes: Partial<NewGrant> = {}) => {
  const account = openAccounts().accounts.of('ada')
  return { account, grant: await connect(account, changes) }
}

describe('a grant', () => {
  it('is active with its own key or without one, and its key decrypts its props', async () => {
    const { account, grant } = await open()
    const other = await connect(account)
    expect(await account.check(grant.grantId, undefined)).toEqual({ active: true })
    expect(await account.check(grant.grantId, grant.grantKey)).toEqual({
      active: true,
      props: { upstream: 'token-1' },
    })
    for (const key of [other.grantKey, '', 'A'.repeat(43), grant.codeSecret]) {
      expect(await account.check(grant.grantId, key)).toEqual({ active: false })
    }
    expect(await account.check('A'.repeat(22), grant.grantKey)).toEqual({ active: false })
  })

  it('accepts new props with its key only, until it is revoked', async () => {
    const { account, grant } = await open()
    const props = { upstream: 'token-2', since: 1 }
    expect(await account.setProps(grant.grantId, grant.grantKey, props)).toBe(true)
    expect(await account.check(grant.grantId, grant.grantKey)).toEqual({ active: true, props })
    expect(await account.setProps(grant.grantId, 'A'.repeat(43), {})).toBe(false)
    expect(await account.setProps(grant.grantId, '', {})).toBe(false)
    expect(await account.setProps('A'.repeat(22), grant.grantKey, {})).toBe(false)
    expect(await account.check(grant.grantId, grant.grantKey)).toEqual({ active: true, props })
    await account.revoke(grant.grantId)
    expect(await account.setProps(grant.grantId, grant.grantKey, {})).toBe(false)
  })

  it('has new props without its key when it was approved as renewable', async () => {
    const { account, grant } = await open({ renewable: true })
    const { grantId, grantKey, refreshSecret } = grant
    for (const upstream of ['token-2', 'token-3']) {
      const props = { upstream }
      await account.renewProps([{ grantId, props }])
      expect(await account.check(grantId, grantKey)).toEqual({ active: true, props })
      expect(await account.check(grantId, 'A'.repeat(43))).toEqual({ active: false })
    }
    const props = { upstream: 'token-3' }
    const next = issued(await refreshWith(account, grant, refreshSecret))
    expect(next.props).toEqual(props)
    expect(await account.check(grantId, grantKey)).toEqual({ active: true, props })
    expect(await account.setProps(grantId, grantKey, { upstream: 'token-4' })).toBe(true)
    expect(await account.check(grantId, grantKey)).toEqual({
      active: true,
      props: { upstream: 'token-4' },
    })
  })

  it('keeps renewed props that were written while a refresh had read the earlier ones', async () => {
    const { account, grant } = await open({ renewable: true })
    const { grantId, grantKey, refreshSecret } = grant
    const peeked = await account.peekRefresh(refreshOf(grant, refreshSecret))
    await account.renewProps([{ grantId, props: { upstream: 'token-2' } }])
    const { props, grantKey: key } = issued(
      await account.refresh({
        ...refreshOf(grant, refreshSecret),
        newProps: { upstream: 'made from token-1' },
        propsVersion: peeked?.propsVersion,
      }),
    )
    expect([props, key]).toEqual([{ upstream: 'token-2' }, grantKey])
  })

  it('keeps its props when they are renewed although it is not renewable, pending or revoked', async () => {
    const { account, grant } = await open()
    const pending = await account.approve({ ...GRANT, renewable: true })
    const revoked = await connect(account, { renewable: true })
    await account.revoke(revoked.grantId)
    const props = { upstream: 'token-2' }
    const ids = [grant.grantId, pending.grantId, revoked.grantId, 'A'.repeat(22)]
    await account.renewProps(ids.map((grantId) => ({ grantId, props })))
    expect((await account.check(grant.grantId, grant.grantKey)).props).toEqual(GRANT.props)
    expect(issued(await account.redeemCode(redemptionOf(pending.codeSecret))).props).toEqual(
      GRANT.props,
    )
    expect(await isActive(account, revoked)).toBe(false)
  })

  it('ends after a year, even when it is refreshed', async () => {
    verifies('authorization-security-practices/third-party-token-lifecycle')
    verifies('oauth-2-1-clients/unauthenticated-clients')
    const { account, grant } = await open()
    let secret = grant.refreshSecret
    for (let month = 0; month < 12; month++) {
      advance(30 * DAY_MS)
      const next = issued(await refreshWith(account, grant, secret))
      expect(next.refreshExpiresAt).toBe(
        Math.min(NOON + 365 * DAY_MS, NOON + (month + 3) * 30 * DAY_MS),
      )
      secret = next.refreshSecret
    }
    advance(5 * DAY_MS)
    expect(await isActive(account, grant)).toBe(false)
    expect(await refreshWith(account, grant, secret)).toEqual(INVALID_GRANT)
  })

  it('ends at its lifetime even when its access token expires later', async () => {
    const account = openAccounts('shortGrants').accounts.of('ada')
    const grant = await connect(account)
    expect(grant.refreshExpiresAt).toBe(NOON + HOUR_MS)
    advance(HOUR_MS - 1)
    expect(await isActive(account, grant)).toBe(true)
    await refreshWith(account, grant, grant.refreshSecret)
    await refreshWith(account, grant, grant.refreshSecret)
    advance(1)
    expect(await isActive(account, grant)).toBe(false)
  })

  it('is active until its access token expires when its refresh token expires earlier', async () => {
    const account = openAccounts('shortRefreshTokens').accounts.of('ada')
    const grant = await connect(account)
    advance(HOUR_MS)
    expect(await refreshWith(account, grant, grant.refreshSecret)).toEqual(INVALID_GRANT)
    expect((await account.inspectRefresh(grant.grantId, grant.refreshSecret))?.active).toBe(false)
    advance(HOUR_MS - 1)
    expect(await isActive(account, grant)).toBe(true)
    advance(1)
    expect(await isActive(account, grant)).toBe(false)
  })
})

describe('the grants of a subject', () => {
  it('are listed newest first, without secrets', async () => {
    const { account, grant } = await open()
    advance(HOUR_MS)
    const second = await connect(account, { scopes: ['read'] })
    const client = { id: 'client-1', name: 'A client', uri: 'https://client.example' }
    const summary = { client, resource: 'https://mcp.example.com/mcp' }
    expect(await account.listGrants()).toEqual([
      {
        ...summary,
        grantId: second.grantId,
        scopes: ['read'],
        createdAt: NOON + HOUR_MS,
        lastUsedAt: NOON + HOUR_MS,
      },
      {
        ...summary,
        grantId: grant.grantId,
        scopes: ['read', 'write'],
        createdAt: NOON,
        lastUsedAt: NOON,
      },
    ])
  })

  it('are not accessible from another account', async () => {
    const accounts = openAccounts().accounts
    const grant = await connect(accounts.of('ada'))
    const bob = accounts.of('bob')
    expect(await bob.listGrants()).toEqual([])
    expect(await bob.check(grant.grantId, grant.grantKey)).toEqual({ active: false })
    expect(await bob.revoke(grant.grantId)).toBe(false)
    expect(await refreshWith(bob, grant, grant.refreshSecret)).toEqual(INVALID_GRANT)
    expect(await isActive(accounts.of('ada'), grant)).toBe(true)
  })
})

describe('a remembered consent', () => {
  const { client, redirectUri, resource } = GRANT
  const remembering = (grant: Partial<NewGrant> = {}) => ({
    ...GRANT,
    rememberConsent: true,
    ...grant,
  })
  type Consent = [clientId: string, redirectUri: string, resource: string, scopes: string[]]
  const CONSENT: Consent = [client.id, redirectUri, resource, ['read', 'write']]

  it('applies to exactly the approved client, redirect URI, resource and scopes', async () => {
    const account = openAccounts().accounts.of('ada')
    expect(await account.hasConsent(...CONSENT)).toBe(false)
    await account.approve(remembering())
    expect(await account.hasConsent(...CONSENT)).toBe(true)
    expect(await account.hasConsent(client.id, redirectUri, resource, ['write', 'read'])).toBe(true)
    const scopes = ['read', 'write']
    const others: Consent[] = [
      ['client-2', redirectUri, resource, scopes],
      [client.id, `${redirectUri}/`, resource, scopes],
      [client.id, redirectUri, 'https://mcp.example.com/other', scopes],
      [client.id, redirectUri, resource, ['read']],
      [client.id, redirectUri, resource, ['read', 'write', 'admin']],
      [client.id, redirectUri, resource, ['read', 'admin']],
      [client.id, redirectUri, resource, ['Read', 'write']],
      [client.id, redirectUri, resource, []],
    ]
    for (const other of others) expect(await account.hasConsent(...other)).toBe(false)
  })

  it('is deleted with all others of its client, for every redirect URI', async () => {
    const account = openAccounts().accounts.of('ada')
    await account.approve(remembering())
    await account.approve(remembering({ redirectUri: 'https://client.example/2' }))
    await account.approve(remembering({ client: { ...client, id: 'client-2' } }))
    await account.deleteConsents('client-1')
    await account.deleteConsents('client-1')
    expect(await account.hasConsent(...CONSENT)).toBe(false)
    const second: Consent = ['client-1', 'https://client.example/2', resource, ['read', 'write']]
    expect(await account.hasConsent(...second)).toBe(false)
    expect(await account.hasConsent('client-2', redirectUri, resource, ['read', 'write'])).toBe(
      true,
    )
  })
})
