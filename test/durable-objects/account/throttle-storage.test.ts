/** The guesses that a shard of the throttle stores: their lifetime, evictions and limit. */
import { describe, expect, it } from 'vitest'
import type { ThrottleObject } from '../../../durable-objects/account/throttle-object.ts'
import { inPart } from '../../support/objects.ts'
import { countsOf, openAda } from './account.ts'
import { useFakeClock } from './grant-requests.ts'

useFakeClock()

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
