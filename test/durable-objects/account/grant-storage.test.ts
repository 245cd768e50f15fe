/** A grant in the storage of its account: its alarm, its tombstone and evictions. */
import { runDurableObjectAlarm } from 'cloudflare:test'
import { describe, expect, it, vi } from 'vitest'
import { alarmOf, countsOf, openAda, rowsOf } from './account.ts'
import {
  advance,
  connect,
  DAY_MS,
  GRANT,
  issued,
  MINUTE_MS,
  NOON,
  redemptionOf,
  refreshWith,
  SECOND_MS,
  useFakeClock,
} from './grant-requests.ts'

useFakeClock()

describe('a grant in storage', () => {
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
