/** The keys of a deployment across first use, evictions, alarms and time, and the names that were redeemed. */
import { evictDurableObject, runDurableObjectAlarm } from 'cloudflare:test'
import { describe, expect, it, vi } from 'vitest'
import type { KeyringObject } from '../../../durable-objects/keyring/keyring-object.ts'
import { inPart } from '../../support/objects.ts'
import { verifies } from '../../support/verifies.ts'
import { alarmOf, DAY_MS, MINUTE_MS, NOON, openKeyring, tablesOf, useFakeClock } from './keyring.ts'

useFakeClock()

type Keys = readonly {
  readonly id: string
  readonly usedFrom: number
  readonly acceptedUntil: number | undefined
}[]
type KeyCalls = Pick<KeyringObject, 'keys' | 'signingKeys'>

/** For each kind: days after the successor's first use for which a key is accepted; days and counts of keys. */
const KINDS = [
  {
    kind: 'sealing',
    call: async (keyring: KeyCalls): Promise<Keys> => keyring.keys(),
    acceptedDays: 91,
    counts: [
      [59, 3],
      [89, 4],
      [119, 5],
      [121, 4],
    ],
  },
  {
    kind: 'signing',
    call: async (keyring: KeyCalls): Promise<Keys> => keyring.signingKeys(),
    acceptedDays: 31,
    counts: [
      [59, 3],
      [61, 2],
    ],
  },
] as const

describe.each(KINDS)('KeyringObject: $kind keys', ({ call, acceptedDays, counts }) => {
  /** Opens a keyring, and calls it through its stub or, at once, within the object. */
  const open = () => {
    const { keyring } = openKeyring()
    const callConcurrently = () =>
      inPart<KeyringObject, Keys[]>(keyring, (object) =>
        Promise.all(Array.from({ length: 30 }, () => call(object))),
      )
    return { keyring, keys: () => call(keyring), callConcurrently }
  }

  it('are created once for concurrent calls: the first key, and its successor', async () => {
    const { callConcurrently } = open()
    for (const [at, count] of [
      [NOON, 1],
      [NOON + 29 * DAY_MS, 2],
    ] as const) {
      vi.setSystemTime(at)
      const ids = (await callConcurrently()).flatMap((keys) => keys.map(({ id }) => id))
      expect([ids.length, new Set(ids).size]).toEqual([30 * count, count])
    }
  })

  it('are created by the alarm one day before their use, and deleted by it when they have expired', async () => {
    const { keyring, keys } = open()
    const [first] = await keys()
    expect(first).toMatchObject({ usedFrom: NOON, acceptedUntil: undefined })
    expect(await alarmOf(keyring)).toBe(NOON + 29 * DAY_MS)

    vi.setSystemTime(NOON + 29 * DAY_MS)
    await evictDurableObject(keyring)
    expect(await runDurableObjectAlarm(keyring)).toBe(true)
    expect(await alarmOf(keyring)).toBe(NOON + 59 * DAY_MS)
    const both = await keys()
    expect(both).toEqual([
      { ...first, acceptedUntil: NOON + (30 + acceptedDays) * DAY_MS },
      expect.objectContaining({ usedFrom: NOON + 30 * DAY_MS, acceptedUntil: undefined }),
    ])

    for (const [day, count] of counts) {
      expect(await alarmOf(keyring)).toBe(NOON + day * DAY_MS)
      vi.setSystemTime(NOON + day * DAY_MS)
      expect(await runDurableObjectAlarm(keyring)).toBe(true)
      expect(await keys()).toHaveLength(count)
    }
    expect((await keys()).map(({ id }) => id)).not.toContain(first?.id)
    expect((await keys())[0]?.id).toBe(both[1]?.id)
  })
})

it('KeyringObject creates a different secret of 32 bytes in each deployment', async () => {
  verifies('oauth-2-1-security/entropy')
  const [one] = await openKeyring().keyring.keys()
  const [other] = await openKeyring().keyring.keys()
  expect(one?.id).toMatch(/^[A-Za-z0-9_-]{8}$/)
  expect(one?.secret.length).toBe(32)
  expect(one?.id).not.toBe(other?.id)
  expect(one?.secret).not.toEqual(other?.secret)
})

describe('RedeemedObject', () => {
  const soon = NOON + 10 * MINUTE_MS
  const openShard = () => openKeyring().shardOf('3')

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
})
