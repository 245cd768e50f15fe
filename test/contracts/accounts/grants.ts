/** What every `Accounts` does with grants and consents. `create` opens another deployment each time. */
import { describe, expect, it } from 'vitest'
import type { Accounts, NewGrant } from '../../../src/ports/accounts.ts'
import type { LimitSet } from './limit-sets.ts'
import {
  connect,
  DAY_MS,
  GRANT,
  HOUR_MS,
  INVALID_GRANT,
  isAlive,
  issued,
  MINUTE_MS,
  NOON,
  pass,
  redemptionOf,
  refreshing,
} from './person.ts'

export function testGrants(name: string, create: (limits?: LimitSet) => Accounts): void {
  const open = async () => {
    const account = create().of('ada')
    return { account, grant: await connect(account) }
  }

  describe(`${name}: a grant`, () => {
    it('is good for whoever carries its key, and shows them its props', async () => {
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

    it('is not good before its code was redeemed', async () => {
      const account = create().of('ada')
      const { grantId } = await account.approve(GRANT)
      expect(await account.check(grantId, undefined)).toEqual({ active: false })
      expect(await account.listGrants()).toEqual([])
    })

    it('takes new props from whoever carries its key', async () => {
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

    it('is of no use in any way once it was revoked, and revoked once', async () => {
      const { account, grant } = await open()
      expect(await account.revoke(grant.grantId)).toBe(true)
      expect(await account.revoke(grant.grantId)).toBe(false)
      expect(await isAlive(account, grant)).toBe(false)
      expect(await account.check(grant.grantId, undefined)).toEqual({ active: false })
      expect(await refreshing(account, grant, grant.refreshSecret)).toEqual(INVALID_GRANT)
      expect(await account.redeemCode(redemptionOf(grant.codeSecret))).toEqual(INVALID_GRANT)
      expect(await account.listGrants()).toEqual([])
    })

    it('may be revoked while it is pending', async () => {
      const account = create().of('ada')
      const { grantId, codeSecret } = await account.approve(GRANT)
      expect(await account.revoke(grantId)).toBe(true)
      expect(await account.redeemCode(redemptionOf(codeSecret))).toEqual(INVALID_GRANT)
    })

    it('that nobody knows cannot be revoked', async () => {
      expect(await create().of('ada').revoke('A'.repeat(22))).toBe(false)
    })

    it('ends sixty days after its last refresh', async () => {
      const { account, grant } = await open()
      pass(59 * DAY_MS)
      const next = issued(await refreshing(account, grant, grant.refreshSecret))
      pass(60 * DAY_MS - 1)
      expect(await isAlive(account, grant)).toBe(true)
      pass(1)
      expect(await isAlive(account, grant)).toBe(false)
      expect(await refreshing(account, grant, next.refreshSecret)).toEqual(INVALID_GRANT)
      expect(await account.listGrants()).toEqual([])
    })

    it('ends after a year, however much it is used', async () => {
      const { account, grant } = await open()
      let secret = grant.refreshSecret
      for (let month = 0; month < 12; month++) {
        pass(30 * DAY_MS)
        const next = issued(await refreshing(account, grant, secret))
        expect(next.refreshExpiresAt).toBe(
          Math.min(NOON + 365 * DAY_MS, NOON + (month + 3) * 30 * DAY_MS),
        )
        secret = next.refreshSecret
      }
      pass(5 * DAY_MS)
      expect(await isAlive(account, grant)).toBe(false)
      expect(await refreshing(account, grant, secret)).toEqual(INVALID_GRANT)
    })

    it('ends in time though its access token says that it lives longer', async () => {
      const account = create('shortGrants').of('ada')
      const grant = await connect(account)
      expect(grant.refreshExpiresAt).toBe(NOON + HOUR_MS)
      pass(HOUR_MS - 1)
      expect(await isAlive(account, grant)).toBe(true)
      await refreshing(account, grant, grant.refreshSecret)
      await refreshing(account, grant, grant.refreshSecret)
      pass(1)
      expect(await isAlive(account, grant)).toBe(false)
    })

    it('lives as long as its access token where that outlives the refresh token', async () => {
      const account = create('shortRefreshTokens').of('ada')
      const grant = await connect(account)
      pass(HOUR_MS)
      expect(await refreshing(account, grant, grant.refreshSecret)).toEqual(INVALID_GRANT)
      expect((await account.inspectRefresh(grant.grantId, grant.refreshSecret))?.active).toBe(false)
      pass(HOUR_MS - 1)
      expect(await isAlive(account, grant)).toBe(true)
      pass(1)
      expect(await isAlive(account, grant)).toBe(false)
    })
  })

  describe(`${name}: the grants of a person`, () => {
    it('are listed without anything secret, newest first', async () => {
      const { account, grant } = await open()
      pass(HOUR_MS)
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

    it('say when they were last used, to the minute', async () => {
      const { account, grant } = await open()
      const lastUse = async () => (await account.listGrants())[0]?.lastUsedAt
      pass(MINUTE_MS - 1)
      await account.check(grant.grantId, grant.grantKey)
      expect(await lastUse()).toBe(NOON)
      pass(1)
      await account.check(grant.grantId, undefined)
      await account.check(grant.grantId, 'A'.repeat(43))
      expect(await lastUse()).toBe(NOON)
      await account.check(grant.grantId, grant.grantKey)
      expect(await lastUse()).toBe(NOON + MINUTE_MS)
      pass(1)
      await refreshing(account, grant, grant.refreshSecret)
      expect(await lastUse()).toBe(NOON + MINUTE_MS + 1)
    })

    it('are theirs alone', async () => {
      const accounts = create()
      const grant = await connect(accounts.of('ada'))
      const bob = accounts.of('bob')
      expect(await bob.listGrants()).toEqual([])
      expect(await bob.check(grant.grantId, grant.grantKey)).toEqual({ active: false })
      expect(await bob.revoke(grant.grantId)).toBe(false)
      expect(await refreshing(bob, grant, grant.refreshSecret)).toEqual(INVALID_GRANT)
      expect(await isAlive(accounts.of('ada'), grant)).toBe(true)
    })

    it('are bounded: one more ends the one that was used least recently', async () => {
      const account = create('threeGrants').of('ada')
      const grants = []
      for (let count = 0; count < 3; count++) {
        grants.push(await connect(account))
        pass(HOUR_MS)
      }
      const [first] = grants
      if (first !== undefined) await account.check(first.grantId, first.grantKey)
      grants.push(await connect(account))
      const alive = await Promise.all(grants.map((grant) => isAlive(account, grant)))
      expect(alive).toEqual([true, false, true, true])
    })

    it('make room for others when their code was never redeemed', async () => {
      const account = create('lowCaps').of('ada')
      const grant = await connect(account)
      await account.approve(GRANT)
      pass(HOUR_MS)
      await connect(account)
      expect(await isAlive(account, grant)).toBe(true)
    })

    it('do not go for approvals whose codes nobody redeems, however many', async () => {
      const account = create('lowCaps').of('ada')
      const grants = [await connect(account), await connect(account)]
      const codes = []
      for (let count = 0; count < 5; count++) codes.push(await account.approve(GRANT))
      for (const grant of grants) expect(await isAlive(account, grant)).toBe(true)
      const redeemed = await Promise.all(
        codes.map(({ codeSecret }) => account.redeemCode(redemptionOf(codeSecret))),
      )
      expect(redeemed.map((outcome) => 'refused' in outcome)).toEqual([
        ...[true, true, true],
        ...[false, false],
      ])
    })
  })

  describe(`${name}: a consent`, () => {
    const { client, redirectUri, resource } = GRANT
    const remembering = (grant: Partial<NewGrant> = {}) => ({
      ...GRANT,
      rememberConsent: true,
      ...grant,
    })
    type Asked = [clientId: string, redirectUri: string, resource: string, scopes: string[]]
    const ASKED: Asked = [client.id, redirectUri, resource, ['read', 'write']]

    it('is remembered for exactly what was approved', async () => {
      const account = create().of('ada')
      expect(await account.hasConsent(...ASKED)).toBe(false)
      await account.approve(remembering())
      expect(await account.hasConsent(...ASKED)).toBe(true)
      expect(await account.hasConsent(client.id, redirectUri, resource, ['write', 'read'])).toBe(
        true,
      )
      const scopes = ['read', 'write']
      const others: Asked[] = [
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

    it('is not remembered unless that is wanted, and by nobody else', async () => {
      const accounts = create()
      await accounts.of('ada').approve(GRANT)
      await accounts.of('bob').approve(remembering({ subject: 'bob' }))
      expect(await accounts.of('ada').hasConsent(...ASKED)).toBe(false)
    })

    it('stands beside what was approved before, and what was approved apart is not approved together', async () => {
      const account = create().of('ada')
      for (const scopes of [['read'], ['write'], ['read']]) {
        await account.approve(remembering({ scopes }))
      }
      expect(await account.hasConsent(...ASKED)).toBe(false)
      expect(await account.hasConsent(client.id, redirectUri, resource, ['read'])).toBe(true)
      expect(await account.hasConsent(client.id, redirectUri, resource, ['write'])).toBe(true)
    })

    it('may be for no scope at all', async () => {
      const account = create().of('ada')
      expect(await account.hasConsent(client.id, redirectUri, resource, [])).toBe(false)
      await account.approve(remembering({ scopes: [] }))
      expect(await account.hasConsent(client.id, redirectUri, resource, [])).toBe(true)
      expect(await account.hasConsent(...ASKED)).toBe(false)
    })

    it('is forgotten when the person says so, for every redirect of the client', async () => {
      const account = create().of('ada')
      await account.approve(remembering())
      await account.approve(remembering({ redirectUri: 'https://client.example/2' }))
      await account.approve(remembering({ client: { ...client, id: 'client-2' } }))
      await account.deleteConsents('client-1')
      await account.deleteConsents('client-1')
      expect(await account.hasConsent(...ASKED)).toBe(false)
      const second: Asked = ['client-1', 'https://client.example/2', resource, ['read', 'write']]
      expect(await account.hasConsent(...second)).toBe(false)
      expect(await account.hasConsent('client-2', redirectUri, resource, ['read', 'write'])).toBe(
        true,
      )
    })

    it('is forgotten a year after it was last given', async () => {
      const account = create().of('ada')
      await account.approve(remembering())
      pass(300 * DAY_MS)
      await account.approve(remembering())
      pass(365 * DAY_MS - 1)
      expect(await account.hasConsent(...ASKED)).toBe(true)
      pass(1)
      expect(await account.hasConsent(...ASKED)).toBe(false)
    })
  })
}
