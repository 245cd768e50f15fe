/** The limit of attempts of all objects of an isolate. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { useFakeClock } from '../../../../test/durable-objects/fake-clock.ts'
import { PLACES, type Place, Places } from '../../src/objects/subscriber/isolate-places.ts'
import { openSubscriber, settled, until } from './subscriber.ts'

useFakeClock()

const taken: Place[] = []

function takeAll(places = PLACES, now?: number): Place[] {
  const added: Place[] = []
  while (places.isFree(now)) added.push(places.take(now))
  taken.push(...added)
  return added
}

function leaveAll(): void {
  for (const place of taken.splice(0)) place.leave()
}

afterEach(leaveAll)

describe('the attempts of an isolate', () => {
  it('are at most 128 at the same time', () => {
    const places = new Places()
    const all = takeAll(places)
    expect(all.length).toBe(128)
    all[0]?.leave()
    expect(places.isFree()).toBe(true)
  })

  it('no longer count two seconds after their request was sent', () => {
    const places = new Places()
    takeAll(places, 1000)[5]?.sent(2000)
    expect(places.isFree(3999)).toBe(false)
    expect(places.isFree(4000)).toBe(true)
    expect(takeAll(places, 4000).length).toBe(1)
  })

  it('no longer count after five seconds, as those of an object that was reset', () => {
    const places = new Places()
    takeAll(places, 1000)
    expect(places.isFree(5999)).toBe(false)
    expect(places.isFree(6000)).toBe(true)
  })
})

describe('an object without a place for its attempts', () => {
  // Attempts of earlier tests would leave their places in between.
  beforeEach(() =>
    until(() => {
      const { length } = takeAll()
      leaveAll()
      return length === 128
    }),
  )

  it('makes them when others have ended, without an alarm', async () => {
    const subscriber = openSubscriber()
    await subscriber.subscribed()
    takeAll()
    await subscriber.hand([11, 12])
    // Longer than the pause after which it looks again.
    await new Promise((resolve) => setTimeout(resolve, 400))
    expect(subscriber.delivered()).toEqual([])
    leaveAll()
    await settled(subscriber, 2)
    expect(subscriber.delivered().length).toBe(2)
  })

  it('has an alarm, so that a kill loses none', async () => {
    const subscriber = openSubscriber()
    await subscriber.subscribed()
    takeAll()
    await subscriber.hand([11])
    leaveAll()
    await subscriber.alarm()
    await settled(subscriber, 1)
    expect(subscriber.delivered().length).toBe(1)
  })
})
