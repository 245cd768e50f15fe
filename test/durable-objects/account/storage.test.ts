/** What an account keeps and for how long: rows, alarms, evictions, and what a thief of the storage has. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { LimitSet } from '../../contracts/accounts/limit-sets.ts'
import {
  connect,
  DAY_MS,
  GRANT,
  INVALID_GRANT,
  isAlive,
  issued,
  MINUTE_MS,
  NOON,
  pass,
  redemptionOf,
  refreshing,
  SECOND_MS,
} from '../../contracts/accounts/person.ts'
import {
  type AccountObject,
  alarmOf,
  countsOf,
  openAccounts,
  rowsOf,
  type Stub,
} from './account.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOON })
})
afterEach(() => {
  vi.useRealTimers()
})

async function openAda(limits?: LimitSet) {
  const { accounts, stubOfSubject, stubOf } = openAccounts(limits)
  return { accounts, account: accounts.of('ada'), stub: await stubOfSubject('ada'), stubOf }
}

const bytesOf = (text: string) => Uint8Array.fromBase64(text, { alphabet: 'base64url' })

/** A random secret with the proof of a family. */
async function forge(familyKey: Uint8Array, generation: number): Promise<string> {
  const claim = crypto.getRandomValues(new Uint8Array(36))
  new DataView(claim.buffer).setUint32(0, generation)
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', familyKey, algorithm, false, ['sign'])
  const proven = new Uint8Array([...new TextEncoder().encode('member:'), ...claim])
  const proof = new Uint8Array(await crypto.subtle.sign('HMAC', key, proven))
  const text = new Uint8Array([...claim, ...proof])
  return text.toBase64({ alphabet: 'base64url', omitPadding: true })
}

/** Text and bytes of everything that is kept. */
const keptBy = async (stub: Stub) => JSON.stringify(await rowsOf(stub))

describe('what a thief of the storage has', () => {
  it('is no secret that was ever given out, and no props', async () => {
    const { account, stub } = await openAda()
    const pending = await account.approve(GRANT)
    const grant = await connect(account, { rememberConsent: true })
    const next = issued(await refreshing(account, grant, grant.refreshSecret))
    await refreshing(account, grant, next.refreshSecret, { newProps: { upstream: 'token-2' } })
    const last = issued(await refreshing(account, grant, next.refreshSecret))
    const kept = await keptBy(stub)
    expect(kept).toContain(grant.grantId)
    const secrets = [pending.codeSecret, grant.codeSecret, grant.grantKey]
    for (const secret of secrets) {
      expect(kept).not.toContain(secret)
      expect(kept).not.toContain(bytesOf(secret).toHex())
    }
    for (const { refreshSecret } of [grant, next, last]) {
      expect(kept).not.toContain(refreshSecret.slice(6, 48))
      const secret = bytesOf(refreshSecret).subarray(4, 36).toHex()
      expect(secret).toHaveLength(64)
      expect(kept).not.toContain(secret)
    }
    for (const props of ['token-1', 'token-2', 'upstream']) {
      expect(kept).not.toContain(props)
      expect(kept).not.toContain(new TextEncoder().encode(props).toHex())
    }
  })

  it.each([
    ['newest', 1],
    ['one before it', 0],
    ['next', 2],
  ])('makes no refresh token out of it: not as the %s', async (_, generation) => {
    const { account, stub } = await openAda()
    const grant = await connect(account)
    await refreshing(account, grant, grant.refreshSecret)
    const { grants: [row] = [] } = await rowsOf(stub)
    // With the family's key, anything can be made to look like one of the family.
    const forged = await forge(Uint8Array.fromHex(row?.family_key ?? ''), generation)
    expect(await account.inspectRefresh(grant.grantId, forged)).not.toMatchObject({ active: true })
    expect(await refreshing(account, grant, forged)).toEqual(INVALID_GRANT)
  })

  it('is nothing at all of a grant that was revoked', async () => {
    const { account, stub } = await openAda()
    const grant = await connect(account)
    await account.revoke(grant.grantId)
    expect(await rowsOf(stub)).toEqual({
      consents: [],
      documents: [],
      grants: [],
      guesses: [],
      migrations: [{ version: '1' }, { version: '2' }],
      revoked_grants: [{ id: grant.grantId, due_at: String(NOON + DAY_MS) }],
    })
  })

  it('is no key or address of who guesses', async () => {
    const { accounts, stubOf } = await openAda()
    await accounts.throttle.guess('passphrase 203.0.113.7', false)
    const names = Array.from({ length: 16 }, (_, shard) => `throttle-${shard}`)
    const rows = await Promise.all(names.map((name) => rowsOf(stubOf(name))))
    const guesses = rows.flatMap(({ guesses = [] }) => guesses)
    expect(guesses).toEqual([
      {
        key: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
        failures: '1',
        wait_until: '0',
        due_at: String(NOON + 15 * MINUTE_MS),
      },
    ])
  })
})

describe('an account of which nothing is kept', () => {
  it('is only read, whatever is asked', async () => {
    const { account, accounts, stub, stubOf } = await openAda()
    const elsewhere = await connect(accounts.of('bob'), { subject: 'bob' })
    expect(await account.redeemCode(redemptionOf(elsewhere.codeSecret))).toEqual(INVALID_GRANT)
    expect(await refreshing(account, elsewhere, elsewhere.refreshSecret)).toEqual(INVALID_GRANT)
    expect(await isAlive(account, elsewhere)).toBe(false)
    expect(await account.setProps(elsewhere.grantId, elsewhere.grantKey, {})).toBe(false)
    expect(await account.revoke(elsewhere.grantId)).toBe(false)
    expect(await account.inspectRefresh(elsewhere.grantId, elsewhere.refreshSecret)).toBeUndefined()
    expect(await account.listGrants()).toEqual([])
    expect(await account.hasConsent('client-1', 'https://a.example', 'r', ['read'])).toBe(false)
    await account.deleteConsents('client-1')
    expect(await rowsOf(stub)).toEqual({})
    expect(await alarmOf(stub)).toBeNull()
    const shard = stubOf('throttle-3')
    await shard.guess('key', true)
    expect(await rowsOf(shard)).toEqual({})
  })

  it('does nothing by alarm either', async () => {
    const { stub } = await openAda()
    await runInDurableObject(stub, (account: AccountObject) => account.alarm?.())
    expect(await rowsOf(stub)).toEqual({})
  })
})

describe('a refusal', () => {
  it('changes not a byte', async () => {
    const { account, stub } = await openAda()
    const pending = await account.approve(GRANT)
    const grant = await connect(account)
    const next = issued(await refreshing(account, grant, grant.refreshSecret))
    pass(DAY_MS)
    const before = await rowsOf(stub)
    const alarm = await alarmOf(stub)
    const wrong = { clientId: 'client-2' }
    await account.redeemCode({ ...redemptionOf(grant.codeSecret), ...wrong })
    await account.redeemCode(redemptionOf(pending.codeSecret))
    await refreshing(account, grant, next.refreshSecret, wrong)
    await refreshing(account, grant, next.refreshSecret, { scopes: ['admin'] })
    await refreshing(account, grant, grant.refreshSecret, { scopes: ['admin'] })
    await refreshing(account, grant, grant.codeSecret)
    await account.inspectRefresh(grant.grantId, grant.refreshSecret)
    await account.check(grant.grantId, pending.codeSecret)
    await account.setProps(grant.grantId, pending.codeSecret, {})
    await account.revoke(pending.grantId)
    expect(await rowsOf(stub)).toEqual(before)
    expect(await alarmOf(stub)).toBe(alarm)
  })
})

describe('a grant whose code is never redeemed', () => {
  it('is dropped by alarm, and everything with it where there is nothing else', async () => {
    const { account, stub } = await openAda()
    await account.approve(GRANT)
    expect(await countsOf(stub)).toEqual({ grants: 1 })
    expect(await alarmOf(stub)).toBe(NOON + 2 * MINUTE_MS)
    pass(2 * MINUTE_MS)
    await evictDurableObject(stub)
    expect(await runDurableObjectAlarm(stub)).toBe(true)
    expect(await rowsOf(stub)).toEqual({})
    expect(await alarmOf(stub)).toBeNull()
  })
})

describe('a grant', () => {
  it('is looked after by one alarm, from its code to its end', async () => {
    const { account, stub } = await openAda()
    const grant = await connect(account)
    expect(await alarmOf(stub)).toBe(NOON + 2 * MINUTE_MS)
    pass(2 * MINUTE_MS)
    await runDurableObjectAlarm(stub)
    expect(await alarmOf(stub)).toBe(NOON + 60 * DAY_MS + MINUTE_MS)
    pass(DAY_MS)
    const next = issued(await refreshing(account, grant, grant.refreshSecret))
    expect(await alarmOf(stub)).toBe(NOON + 60 * DAY_MS + MINUTE_MS)

    vi.setSystemTime(NOON + 60 * DAY_MS + MINUTE_MS)
    await evictDurableObject(stub)
    await runDurableObjectAlarm(stub)
    expect(await isAlive(account, next)).toBe(true)
    expect(await alarmOf(stub)).toBe(NOON + 61 * DAY_MS + 3 * MINUTE_MS)

    vi.setSystemTime(NOON + 61 * DAY_MS + 3 * MINUTE_MS)
    await runDurableObjectAlarm(stub)
    expect(await rowsOf(stub)).toEqual({})
    expect(await alarmOf(stub)).toBeNull()
  })

  it('that was revoked leaves a tombstone until its last access token is dead', async () => {
    const { account, stub } = await openAda()
    const grant = await connect(account)
    pass(DAY_MS)
    const next = issued(await refreshing(account, grant, grant.refreshSecret))
    pass(10 * SECOND_MS)
    // The answer is asked for again, with another access token.
    await refreshing(account, grant, grant.refreshSecret)
    await account.revoke(grant.grantId)
    expect(await countsOf(stub)).toEqual({ revoked_grants: 1 })
    expect(await refreshing(account, grant, next.refreshSecret)).toEqual({
      refused: 'invalid_grant',
      reason: 'grant-revoked',
    })
    const deadAt = NOON + 2 * DAY_MS + 10 * SECOND_MS
    vi.setSystemTime(deadAt - 1)
    await runDurableObjectAlarm(stub)
    expect(await countsOf(stub)).toEqual({ revoked_grants: 1 })
    vi.setSystemTime(deadAt)
    await runDurableObjectAlarm(stub)
    expect(await rowsOf(stub)).toEqual({})
  })

  it('that was revoked after its last access token leaves nothing', async () => {
    const { account, stub } = await openAda()
    const grant = await connect(account)
    pass(DAY_MS)
    await account.revoke(grant.grantId)
    expect(await countsOf(stub)).toEqual({})
  })

  it('is the same after an eviction, at every step', async () => {
    const { account, stub } = await openAda()
    const { codeSecret } = await account.approve({ ...GRANT, rememberConsent: true })
    await evictDurableObject(stub)
    const grant = issued(await account.redeemCode(redemptionOf(codeSecret)))
    await evictDurableObject(stub)
    const next = issued(await refreshing(account, grant, grant.refreshSecret))
    await evictDurableObject(stub)
    expect(await refreshing(account, grant, grant.refreshSecret)).toEqual(next)
    expect(await account.check(grant.grantId, grant.grantKey)).toEqual({
      active: true,
      props: { upstream: 'token-1' },
    })
    expect(await account.listGrants()).toHaveLength(1)
    await evictDurableObject(stub)
    expect(await account.redeemCode(redemptionOf(codeSecret))).toEqual(INVALID_GRANT)
    await evictDurableObject(stub)
    expect(await refreshing(account, grant, next.refreshSecret)).toEqual(INVALID_GRANT)
    expect(
      await account.hasConsent('client-1', GRANT.redirectUri, GRANT.resource, GRANT.scopes),
    ).toBe(true)
  })

  it('begins again after everything was dropped', async () => {
    const { account, stub } = await openAda()
    await account.approve(GRANT)
    pass(2 * MINUTE_MS)
    await runDurableObjectAlarm(stub)
    const grant = await connect(account)
    expect(await isAlive(account, grant)).toBe(true)
    expect(await alarmOf(stub)).toBe(NOON + 4 * MINUTE_MS)
  })

  it('that is approved while everything is dropped is kept, with an alarm', async () => {
    const { account, stub } = await openAda()
    for (let round = 0; round < 10; round++) {
      await account.approve(GRANT)
      pass(2 * MINUTE_MS)
      const approving = Promise.all([1, 2, 3].map(() => account.approve(GRANT)))
      const [approved] = await Promise.all([approving, runDurableObjectAlarm(stub)])
      for (const { codeSecret } of approved) {
        const grant = issued(await account.redeemCode(redemptionOf(codeSecret)))
        expect(await account.revoke(grant.grantId)).toBe(true)
      }
      expect(await alarmOf(stub)).toBe(Date.now() + 2 * MINUTE_MS)
      pass(DAY_MS + MINUTE_MS)
      await runDurableObjectAlarm(stub)
      expect(await rowsOf(stub)).toEqual({})
    }
  })
})

describe('consents', () => {
  const approve = (client: number) => ({
    ...GRANT,
    client: { ...GRANT.client, id: `client-${client}` },
    rememberConsent: true,
  })

  it('are dropped by alarm when they have expired', async () => {
    const { account, stub } = await openAda()
    await account.approve(approve(1))
    pass(2 * MINUTE_MS)
    await runDurableObjectAlarm(stub)
    expect(await countsOf(stub)).toEqual({ consents: 1 })
    expect(await alarmOf(stub)).toBe(NOON + 365 * DAY_MS + MINUTE_MS)
    vi.setSystemTime(NOON + 365 * DAY_MS + MINUTE_MS)
    await runDurableObjectAlarm(stub)
    expect(await rowsOf(stub)).toEqual({})
  })

  it('are two hundred at most, the newest', async () => {
    const { account, stub } = await openAda()
    for (let client = 0; client < 202; client++) {
      await account.approve(approve(client))
      pass(SECOND_MS)
    }
    expect(await countsOf(stub)).toMatchObject({ consents: 200 })
    const { redirectUri, resource } = GRANT
    const remembered = await Promise.all(
      [0, 1, 2, 201].map((client) =>
        account.hasConsent(`client-${client}`, redirectUri, resource, GRANT.scopes),
      ),
    )
    expect(remembered).toEqual([false, false, true, true])
  })
})

describe('guesses', () => {
  it('are forgotten by alarm, and nothing is left of them', async () => {
    const { accounts, stubOf } = await openAda()
    await accounts.throttle.guess('key', false)
    const key = await accounts.nameOf('key')
    const shard = stubOf(`throttle-${key.charCodeAt(0) % 16}`)
    expect(await countsOf(shard)).toEqual({ guesses: 1 })
    expect(await alarmOf(shard)).toBe(NOON + 16 * MINUTE_MS)
    pass(16 * MINUTE_MS)
    await evictDurableObject(shard)
    await runDurableObjectAlarm(shard)
    expect(await rowsOf(shard)).toEqual({})
  })

  it('count through an eviction', async () => {
    const { accounts, stubOf } = await openAda('lowCaps')
    const key = await accounts.nameOf('key')
    const shard = stubOf(`throttle-${key.charCodeAt(0) % 16}`)
    for (let count = 0; count < 2; count++) {
      expect((await accounts.throttle.guess('key', false)).allowed).toBe(true)
      await evictDurableObject(shard)
    }
    expect((await accounts.throttle.guess('key', false)).allowed).toBe(false)
  })
})

describe('more keys than are kept', () => {
  it('push out those with the fewest failures', { timeout: 30_000 }, async () => {
    const { stubOf } = await openAda('lowCaps')
    const shard = stubOf('throttle-0')
    const allowed = (key: string) =>
      runInDurableObject(shard, async (account: AccountObject) => {
        return (await account.guess(key, false)).allowed
      })
    for (const expected of [true, true, false]) expect(await allowed('hot')).toBe(expected)
    await runInDurableObject(shard, async (account: AccountObject) => {
      for (let key = 0; key < 9_999; key++) await account.guess(`key-${key}`, false)
    })
    expect(await countsOf(shard)).toEqual({ guesses: 10_000 })
    expect(await allowed('one more')).toBe(true)
    expect(await countsOf(shard)).toEqual({ guesses: 9_001 })
    expect(await allowed('hot')).toBe(false)
  })
})

it('keeps everything that is approved at once, with an alarm', async () => {
  const { account, stub } = await openAda()
  await Promise.all(Array.from({ length: 20 }, () => account.approve(GRANT)))
  expect(await countsOf(stub)).toEqual({ grants: 20 })
  expect(await alarmOf(stub)).toBe(NOON + 2 * MINUTE_MS)
})
