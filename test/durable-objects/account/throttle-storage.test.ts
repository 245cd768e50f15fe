/** The guesses that a shard of the throttle stores: their lifetime, evictions and limit. */
import { evictDurableObject, runDurableObjectAlarm } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import type { ThrottleObject } from '../../../durable-objects/account/throttle-object.ts'
import { shardOf } from '../../../durable-objects/keyring/shards.ts'
import { inPart } from '../../support/objects.ts'
import { alarmOf, countsOf, openAda, rowsOf } from './account.ts'
import { advance, MINUTE_MS, NOON, useFakeClock } from './grant-requests.ts'

useFakeClock()

describe('guesses in storage', () => {
  it('are deleted by the alarm, with all storage after the last one', async () => {
    const { accounts, objects } = await openAda()
    await accounts.throttle.guess('key', false)
    const key = await accounts.nameOf('key')
    const shard = objects.throttles.named(shardOf(key))
    expect(await countsOf(shard)).toEqual({ guesses: 1 })
    expect(await alarmOf(shard)).toBe(NOON + 16 * MINUTE_MS)
    advance(16 * MINUTE_MS)
    await evictDurableObject(shard)
    await runDurableObjectAlarm(shard)
    expect(await rowsOf(shard)).toEqual({})
  })

  it('are counted across an eviction', async () => {
    const { accounts, objects } = await openAda('lowCaps')
    const key = await accounts.nameOf('key')
    const shard = objects.throttles.named(shardOf(key))
    for (let count = 0; count < 2; count++) {
      expect((await accounts.throttle.guess('key', false)).allowed).toBe(true)
      await evictDurableObject(shard)
    }
    expect((await accounts.throttle.guess('key', false)).allowed).toBe(false)
  })
})

describe('throttle keys above the limit of a shard', () => {
  it('replace the keys with the fewest failures', { timeout: 120_000 }, async () => {
    const { objects } = await openAda('lowCaps')
    const shard = objects.throttles.named('0')
    const allowed = (key: string) =>
      inPart<ThrottleObject, boolean>(shard, async (throttle) => {
        return (await throttle.guess(key, false)).allowed
      })
    for (const expected of [true, true, false]) expect(await allowed('hot')).toBe(expected)
    await inPart<ThrottleObject, void>(shard, async (throttle) => {
      for (let key = 0; key < 9_999; key++) await throttle.guess(`key-${key}`, false)
    })
    expect(await countsOf(shard)).toEqual({ guesses: 10_000 })
    expect(await allowed('one more')).toBe(true)
    expect(await countsOf(shard)).toEqual({ guesses: 9_001 })
    expect(await allowed('hot')).toBe(false)
  })
})
