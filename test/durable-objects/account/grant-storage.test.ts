/** A grant in the storage of its account: its alarm, its tombstone and evictions. */
import { evictDurableObject, runDurableObjectAlarm } from 'cloudflare:test'
import { describe, expect, it, vi } from 'vitest'
import { alarmOf, countsOf, openAda, rowsOf } from './account.ts'
import {
  advance,
  connect,
  DAY_MS,
  GRANT,
  INVALID_GRANT,
  isActive,
  issued,
  MINUTE_MS,
  NOON,
  redemptionOf,
  refreshWith,
  SECOND_MS,
  useFakeClock,
} from './grant-requests.ts'

useFakeClock()

describe('a grant whose code is never redeemed', () => {
  it('is deleted by the alarm, with all storage when it was the last row', async () => {
    const { account, stub } = await openAda()
    await account.approve(GRANT)
    expect(await countsOf(stub)).toEqual({ grants: 1 })
    expect(await alarmOf(stub)).toBe(NOON + 2 * MINUTE_MS)
    advance(2 * MINUTE_MS)
    await evictDurableObject(stub)
    expect(await runDurableObjectAlarm(stub)).toBe(true)
    expect(await rowsOf(stub)).toEqual({})
    expect(await alarmOf(stub)).toBeNull()
  })
})

describe('a grant in storage', () => {
  it('has one alarm, for the expiry of its code and then for its end', async () => {
    const { account, stub } = await openAda()
    const grant = await connect(account)
    expect(await alarmOf(stub)).toBe(NOON + 2 * MINUTE_MS)
    advance(2 * MINUTE_MS)
    await runDurableObjectAlarm(stub)
    expect(await alarmOf(stub)).toBe(NOON + 60 * DAY_MS + MINUTE_MS)
    advance(DAY_MS)
    const next = issued(await refreshWith(account, grant, grant.refreshSecret))
    expect(await alarmOf(stub)).toBe(NOON + 60 * DAY_MS + MINUTE_MS)

    vi.setSystemTime(NOON + 60 * DAY_MS + MINUTE_MS)
    await evictDurableObject(stub)
    await runDurableObjectAlarm(stub)
    expect(await isActive(account, next)).toBe(true)
    expect(await alarmOf(stub)).toBe(NOON + 61 * DAY_MS + 3 * MINUTE_MS)

    vi.setSystemTime(NOON + 61 * DAY_MS + 3 * MINUTE_MS)
    await runDurableObjectAlarm(stub)
    expect(await rowsOf(stub)).toEqual({})
    expect(await alarmOf(stub)).toBeNull()
  })

  it('that was revoked leaves a tombstone until its last access token expires', async () => {
    const { account, stub } = await openAda()
    const grant = await connect(account)
    advance(DAY_MS)
    const next = issued(await refreshWith(account, grant, grant.refreshSecret))
    advance(10 * SECOND_MS)
    // The repeated refresh issues another access token.
    await refreshWith(account, grant, grant.refreshSecret)
    await account.revoke(grant.grantId)
    expect(await countsOf(stub)).toEqual({ revoked_grants: 1 })
    expect(await refreshWith(account, grant, next.refreshSecret)).toEqual({
      refused: 'invalid_grant',
      reason: 'grant-revoked',
    })
    const expiredAt = NOON + 2 * DAY_MS + 10 * SECOND_MS
    vi.setSystemTime(expiredAt - 1)
    await runDurableObjectAlarm(stub)
    expect(await countsOf(stub)).toEqual({ revoked_grants: 1 })
    vi.setSystemTime(expiredAt)
    await runDurableObjectAlarm(stub)
    expect(await rowsOf(stub)).toEqual({})
  })

  it('that was revoked after its last access token expired leaves no row', async () => {
    const { account, stub } = await openAda()
    const grant = await connect(account)
    advance(DAY_MS)
    await account.revoke(grant.grantId)
    expect(await countsOf(stub)).toEqual({})
  })

  it('survives an eviction at every step', async () => {
    const { account, stub } = await openAda()
    const { codeSecret } = await account.approve({ ...GRANT, rememberConsent: true })
    await evictDurableObject(stub)
    const grant = issued(await account.redeemCode(redemptionOf(codeSecret)))
    await evictDurableObject(stub)
    const next = issued(await refreshWith(account, grant, grant.refreshSecret))
    await evictDurableObject(stub)
    expect(await refreshWith(account, grant, grant.refreshSecret)).toEqual(next)
    expect(await account.check(grant.grantId, grant.grantKey)).toEqual({
      active: true,
      props: { upstream: 'token-1' },
    })
    expect(await account.listGrants()).toHaveLength(1)
    await evictDurableObject(stub)
    expect(await account.redeemCode(redemptionOf(codeSecret))).toEqual(INVALID_GRANT)
    await evictDurableObject(stub)
    expect(await refreshWith(account, grant, next.refreshSecret)).toEqual(INVALID_GRANT)
    expect(
      await account.hasConsent('client-1', GRANT.redirectUri, GRANT.resource, GRANT.scopes),
    ).toBe(true)
  })

  it('can be approved after all storage was deleted', async () => {
    const { account, stub } = await openAda()
    await account.approve(GRANT)
    advance(2 * MINUTE_MS)
    await runDurableObjectAlarm(stub)
    const grant = await connect(account)
    expect(await isActive(account, grant)).toBe(true)
    expect(await alarmOf(stub)).toBe(NOON + 4 * MINUTE_MS)
  })

  it('that is approved while the alarm deletes all storage is stored, with an alarm', async () => {
    const { account, stub } = await openAda()
    for (let round = 0; round < 10; round++) {
      await account.approve(GRANT)
      advance(2 * MINUTE_MS)
      const approving = Promise.all([1, 2, 3].map(() => account.approve(GRANT)))
      const [approved] = await Promise.all([approving, runDurableObjectAlarm(stub)])
      for (const { codeSecret } of approved) {
        const grant = issued(await account.redeemCode(redemptionOf(codeSecret)))
        expect(await account.revoke(grant.grantId)).toBe(true)
      }
      expect(await alarmOf(stub)).toBe(Date.now() + 2 * MINUTE_MS)
      advance(DAY_MS + MINUTE_MS)
      await runDurableObjectAlarm(stub)
      expect(await rowsOf(stub)).toEqual({})
    }
  })
})

it('an account stores every concurrent approval, with an alarm', async () => {
  const { account, stub } = await openAda()
  await Promise.all(Array.from({ length: 20 }, () => account.approve(GRANT)))
  expect(await countsOf(stub)).toEqual({ grants: 20 })
  expect(await alarmOf(stub)).toBe(NOON + 2 * MINUTE_MS)
})
