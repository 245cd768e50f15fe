/** What is left of a principal after its subscriptions were erased. */
import { describe, expect, it } from 'vitest'
import { MINUTE_MS, useFakeClock } from '../../../../test/durable-objects/fake-clock.ts'
import { advance, openSubscriber } from './subscriber.ts'

useFakeClock()

describe('erasing a principal', () => {
  it('deletes everything, also from its logs', async () => {
    const subscriber = openSubscriber()
    await subscriber.subscribed()
    await subscriber.subscribed({ arguments: '{"list":"b"}' })
    await subscriber.hand([11])
    expect(await subscriber.stub().erase()).toBe(2)
    expect(subscriber.world.registrations.size).toBe(0)
    expect(await subscriber.query("SELECT name FROM sqlite_master WHERE name = 'outbox'")).toEqual(
      [],
    )
    expect(await subscriber.alarmAt()).toBeNull()
    expect(await subscriber.stub().erase()).toBe(0)
    expect(await subscriber.unsubscribe()).toBe(false)
  })

  it('keeps what a log must forget until it has', async () => {
    const subscriber = openSubscriber()
    await subscriber.subscribed()
    subscriber.world.unregister = () => Promise.reject(new Error('unreachable'))
    expect(await subscriber.stub().erase()).toBe(1)
    expect(await subscriber.rows('unregistrations')).toHaveLength(1)
    subscriber.world.unregister = undefined
    advance(MINUTE_MS)
    await subscriber.alarm()
    expect(subscriber.world.registrations.size).toBe(0)
    expect(await subscriber.query("SELECT name FROM sqlite_master WHERE name = 'outbox'")).toEqual(
      [],
    )
  })
})
