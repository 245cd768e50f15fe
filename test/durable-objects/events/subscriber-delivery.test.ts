/** Deliveries to a callback: requests, cursors, retries and what settles an event. */
import { describe, expect, it } from 'vitest'
import { parseCursor } from '../../../durable-objects/events/cursor.ts'
import { MINUTE_MS, NOON, SECOND_MS, useFakeClock } from '../fake-clock.ts'
import {
  advance,
  idsOf,
  isSignedWith,
  openSubscriber,
  SECRET,
  settled,
  URL_A,
} from './subscriber.ts'

useFakeClock()

describe('a subscription from its challenge to its end', () => {
  it('is verified, receives an event signed with its secret, and nothing after it was unsubscribed', async () => {
    const subscriber = openSubscriber()
    const { world } = subscriber
    const { id } = await subscriber.subscribed()
    expect(subscriber.envelopes('verification')).toHaveLength(1)
    await subscriber.hand([11])
    await settled(subscriber, 1)
    const [event] = subscriber.delivered()
    if (event === undefined) throw new Error('Nothing was delivered')
    expect(event.url).toBe(URL_A)
    expect(await isSignedWith(event, SECRET)).toBe(true)
    expect(Object.fromEntries(event.headers)).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'edgeway',
      'webhook-id': 'evt_11',
      'webhook-timestamp': String(NOON / SECOND_MS),
      'x-mcp-subscription-id': id,
    })
    expect(event.message).toEqual({
      eventId: 'evt_11',
      name: 'note.created',
      timestamp: new Date(NOON).toISOString(),
      data: { note: 11 },
      cursor: event.message.cursor,
    })
    expect(parseCursor(String(event.message.cursor))).toEqual({ log: 'log-a', position: 11 })
    expect(await subscriber.unsubscribe()).toBe(true)
    const [registration] = world.registrations.keys()
    expect(await subscriber.hand([12])).toEqual(registration === undefined ? [] : [registration])
    expect(idsOf(subscriber.delivered())).toEqual(['evt_11'])
    advance(MINUTE_MS)
  })
})
