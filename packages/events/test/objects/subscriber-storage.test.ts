/** What the object of a principal stores, and for how long. */
import { runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import {
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  NOON,
  useFakeClock,
} from '../../../../test/durable-objects/fake-clock.ts'
import { advance, idsOf, OTHER_SECRET, openSubscriber, SECRET, settled } from './subscriber.ts'

useFakeClock()

const TABLES = ['subscriptions', 'outbox', 'unregistrations', 'marks']

describe('the storage of a principal', () => {
  it('is empty before the first subscription', async () => {
    const subscriber = openSubscriber()
    expect(await subscriber.stub().subscriptions()).toEqual([])
    expect(await subscriber.unsubscribe()).toBe(false)
    expect(await subscriber.stub().end({ name: 'Forbidden', data: {} })).toBe(0)
    expect(await subscriber.stub().erase()).toBe(0)
    expect(
      await subscriber.query("SELECT name FROM sqlite_master WHERE name = 'migrations'"),
    ).toEqual([])
    expect(await subscriber.alarmAt()).toBeNull()
  })

  it('contains no secret and no caller in clear, and neither does telemetry', async () => {
    const subscriber = openSubscriber()
    const { world } = subscriber
    await subscriber.subscribed()
    await subscriber.subscribed({ secret: OTHER_SECRET })
    world.answer = () => new Response(SECRET, { status: 500 })
    await subscriber.hand([11])
    await settled(subscriber, 1)
    await subscriber.subscribe({ secret: SECRET, url: 'https://hooks.example.org/b?token=abc' })
    const rows = await Promise.all(TABLES.map((table) => subscriber.rows(table)))
    const stored = JSON.stringify(rows)
    const reported = JSON.stringify(world.events)
    for (const secret of [SECRET, OTHER_SECRET].map((text) => text.slice('whsec_'.length))) {
      expect(stored).not.toContain(secret)
      expect(reported).not.toContain(secret)
    }
    expect(stored).not.toContain('https://mcp.example.com/mcp')
    expect(reported).not.toContain('hooks.example.org')
    expect(reported).not.toContain('token')
  })

  it('has an alarm for the end of a reservation, then for the expiry', async () => {
    const subscriber = openSubscriber()
    await subscriber.subscribed()
    expect(await subscriber.alarmAt()).toBe(NOON + 5 * MINUTE_MS)
    advance(5 * MINUTE_MS)
    await subscriber.alarm()
    expect(await subscriber.query("SELECT 1 FROM marks WHERE name GLOB 'challenge *'")).toEqual([])
    expect(await subscriber.alarmAt()).toBe(NOON + 6 * HOUR_MS)
  })

  it('sets an alarm again that the platform has lost', async () => {
    const subscriber = openSubscriber({ retryDelaysMs: [1000, 60_000] })
    await subscriber.subscribed()
    subscriber.world.answer = () => new Response(null, { status: 500 })
    await subscriber.hand([11])
    await settled(subscriber, 1)
    expect(await subscriber.alarmAt()).toBe(NOON + 1000)
    await runInDurableObject(subscriber.stub(), (_, { storage }) => storage.deleteAlarm())
    advance(10_000)
    await subscriber.hand([12])
    await settled(subscriber, 3)
    expect(await subscriber.alarmAt()).toBeLessThanOrEqual(NOON + 10_000)
    await subscriber.alarm()
    expect(await subscriber.alarmAt()).toBe(NOON + 11_000)
  })

  it('remembers two thousand subscriptions that have ended', async () => {
    const subscriber = openSubscriber({}, { callbacks: { trusted: ['https://hooks.example.org'] } })
    await subscriber.subscribed()
    await subscriber.query(
      `WITH RECURSIVE ids (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM ids WHERE n < 2500)
       INSERT INTO marks (name, until) SELECT 'ended sub_' || n, ${NOON} + n FROM ids`,
    )
    await subscriber.unsubscribe()
    expect(await subscriber.query('SELECT count(*) AS count FROM marks')).toEqual([{ count: 2000 }])
    expect(await subscriber.unsubscribe()).toBe(true)
  })
})

describe('the object of a principal with rows of the next version', () => {
  /** Does what a migration of the next version may do, and kills the object. */
  async function migrate(subscriber: ReturnType<typeof openSubscriber>): Promise<void> {
    for (const table of TABLES) {
      await subscriber.query(
        `ALTER TABLE ${table} ADD COLUMN added_later TEXT NOT NULL DEFAULT 'default'`,
      )
    }
    await subscriber.query('CREATE TABLE added_later (id TEXT PRIMARY KEY) STRICT')
    await subscriber.query("INSERT INTO added_later VALUES ('row')")
    await subscriber.query(
      'INSERT INTO migrations (version) SELECT max(version) + 1 FROM migrations',
    )
    await subscriber.evict()
  }

  it('delivers, refreshes, subscribes and unsubscribes', async () => {
    const subscriber = openSubscriber()
    await subscriber.subscribed()
    await migrate(subscriber)
    await subscriber.hand([11])
    await settled(subscriber, 1)
    expect(idsOf(subscriber.delivered())).toEqual(['evt_11'])
    await subscriber.subscribed({ secret: OTHER_SECRET })
    await subscriber.subscribed({ arguments: '{"list":"b"}' })
    expect(await subscriber.unsubscribe()).toBe(true)
    expect(await subscriber.stub().subscriptions()).toHaveLength(1)
  })

  it('keeps what it does not know, and asks again a day later', async () => {
    const subscriber = openSubscriber()
    await subscriber.subscribed()
    await migrate(subscriber)
    await subscriber.unsubscribe()
    await expect.poll(() => subscriber.world.registrations.size).toBe(0)
    advance(2 * DAY_MS)
    await subscriber.alarm()
    expect(await subscriber.rows('added_later')).toHaveLength(1)
    expect(await subscriber.alarmAt()).toBe(Date.now() + DAY_MS)
  })

  it('leaves a subscription in a state that it does not know alone', async () => {
    const subscriber = openSubscriber()
    await subscriber.subscribed()
    await migrate(subscriber)
    await subscriber.query("UPDATE subscriptions SET state = 'of the next version'")
    await subscriber.hand([11])
    advance(MINUTE_MS)
    await subscriber.alarm()
    expect(subscriber.delivered()).toEqual([])
    expect(await subscriber.rows('outbox')).toHaveLength(1)
    expect(await subscriber.unsubscribe()).toBe(true)
  })
})
