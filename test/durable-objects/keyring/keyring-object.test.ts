/** The keyring object: keys across first use, evictions, alarms and time, and redeemed names. */
import { evictDurableObject, runDurableObjectAlarm } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { alarmOf, DAY_MS, MINUTE_MS, NOON, openKeyring, tablesOf } from './keyring.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOON })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('McpKeyring: keys', () => {
  it('creates one key for concurrent first calls', async () => {
    const { keyring } = openKeyring()
    const answers = await Promise.all(Array.from({ length: 30 }, () => keyring.keys()))
    const ids = answers.flatMap((keys) => keys.map(({ id }) => id))
    expect(ids).toHaveLength(30)
    expect(new Set(ids).size).toBe(1)
  })

  it('creates a different secret of 32 bytes in each deployment', async () => {
    verifies('oauth-2-1-security/entropy')
    const [one] = await openKeyring().keyring.keys()
    const [other] = await openKeyring().keyring.keys()
    expect(one).toMatchObject({ usedFrom: NOON, acceptedUntil: undefined })
    expect(one?.id).toMatch(/^[A-Za-z0-9_-]{8}$/)
    expect(one?.secret.length).toBe(32)
    expect(one?.id).not.toBe(other?.id)
    expect(one?.secret).not.toEqual(other?.secret)
  })

  it('returns the same keys after an eviction', async () => {
    const { keyring } = openKeyring()
    const before = await keyring.keys()
    await evictDurableObject(keyring)
    expect(await keyring.keys()).toEqual(before)
  })

  it('the alarm creates a successor one day before its use, and deletes the old key 91 days after', async () => {
    const { keyring } = openKeyring()
    const [first] = await keyring.keys()
    expect(await alarmOf(keyring)).toBe(NOON + 29 * DAY_MS)

    vi.setSystemTime(NOON + 29 * DAY_MS)
    await evictDurableObject(keyring)
    expect(await runDurableObjectAlarm(keyring)).toBe(true)
    expect(await alarmOf(keyring)).toBe(NOON + 59 * DAY_MS)
    const both = await keyring.keys()
    expect(both).toEqual([
      { ...first, acceptedUntil: NOON + 121 * DAY_MS },
      expect.objectContaining({ usedFrom: NOON + 30 * DAY_MS }),
    ])

    const counts: number[] = []
    for (const day of [59, 89, 119, 121]) {
      vi.setSystemTime(NOON + day * DAY_MS)
      expect(await runDurableObjectAlarm(keyring)).toBe(true)
      counts.push((await keyring.keys()).length)
    }
    expect(counts).toEqual([3, 4, 5, 4])
    expect((await keyring.keys()).map(({ id }) => id)).not.toContain(first?.id)
    expect((await keyring.keys())[0]?.id).toBe(both[1]?.id)
  })

  it('rotates in a call when the alarm has not run', async () => {
    const { keyring } = openKeyring()
    const [first] = await keyring.keys()
    vi.setSystemTime(NOON + 200 * DAY_MS)
    expect(await keyring.keys()).toEqual([
      { ...first, acceptedUntil: NOON + 292 * DAY_MS },
      expect.objectContaining({ usedFrom: NOON + 201 * DAY_MS }),
    ])
    expect(await alarmOf(keyring)).toBe(NOON + 230 * DAY_MS)
  })
})

describe('McpKeyring: redeemed names', () => {
  const soon = NOON + 10 * MINUTE_MS
  const openShard = () => openKeyring().stubOf('redeemed-3')

  it('one of 50 concurrent redemptions of a name succeeds', async () => {
    const shard = openShard()
    const answers = await Promise.all(Array.from({ length: 50 }, () => shard.redeem('name', soon)))
    expect(answers.filter(Boolean)).toHaveLength(1)
  })

  it('a name stays redeemed after an eviction', async () => {
    const shard = openShard()
    expect(await shard.redeem('name', soon)).toBe(true)
    await evictDurableObject(shard)
    expect(await shard.redeem('name', soon)).toBe(false)
    expect(await shard.redeem('other', soon)).toBe(true)
  })

  it('an expired name is never redeemed, whether or not its row still exists', async () => {
    const shard = openShard()
    expect(await shard.redeem('late', NOON)).toBe(false)
    expect(await tablesOf(shard)).toEqual([])
    expect(await shard.redeem('name', soon)).toBe(true)
    vi.setSystemTime(soon)
    expect(await shard.redeem('name', soon)).toBe(false)
    vi.setSystemTime(soon + MINUTE_MS)
    await runDurableObjectAlarm(shard)
    expect(await shard.redeem('name', soon)).toBe(false)
  })

  it('the alarm deletes expired names in batches, and the storage with the last one', async () => {
    const shard = openShard()
    for (const [name, at] of [
      ['a', soon],
      ['b', soon + 30_000],
      ['c', soon + 5 * MINUTE_MS],
    ] as const) {
      expect(await shard.redeem(name, at)).toBe(true)
    }
    expect(await alarmOf(shard)).toBe(soon + MINUTE_MS)

    vi.setSystemTime(soon + MINUTE_MS)
    expect(await runDurableObjectAlarm(shard)).toBe(true)
    expect(await alarmOf(shard)).toBe(soon + 6 * MINUTE_MS)
    expect(await shard.redeem('c', soon + 5 * MINUTE_MS)).toBe(false)

    vi.setSystemTime(soon + 6 * MINUTE_MS)
    expect(await runDurableObjectAlarm(shard)).toBe(true)
    expect(await alarmOf(shard)).toBeNull()
    expect(await tablesOf(shard)).toEqual([])
    expect(await runDurableObjectAlarm(shard)).toBe(false)
  })

  it('a name can be redeemed after the storage was dropped', async () => {
    const shard = openShard()
    await shard.redeem('name', soon)
    vi.setSystemTime(soon + MINUTE_MS)
    await runDurableObjectAlarm(shard)
    expect(await shard.redeem('next', soon + 20 * MINUTE_MS)).toBe(true)
    expect(await shard.redeem('next', soon + 20 * MINUTE_MS)).toBe(false)
    expect(await alarmOf(shard)).toBe(soon + 21 * MINUTE_MS)
  })

  it('a name that expires earlier moves the alarm to an earlier time', async () => {
    const shard = openShard()
    await shard.redeem('long', soon + DAY_MS)
    await shard.redeem('short', soon)
    expect(await alarmOf(shard)).toBe(soon + MINUTE_MS)
  })

  it('the alarm of a shard of names creates no keys', async () => {
    const shard = openShard()
    await shard.redeem('a', soon)
    await shard.redeem('b', soon + DAY_MS)
    vi.setSystemTime(soon + MINUTE_MS)
    await runDurableObjectAlarm(shard)
    expect(await alarmOf(shard)).toBe(soon + DAY_MS + MINUTE_MS)
  })
})
