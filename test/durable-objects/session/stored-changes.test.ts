/** What a session stores of changes: its subscriptions, and the log of its standalone streams. */
// features: changes
import { evictDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { advanceClock } from '../../support/clock.ts'
import { openSession, openSessionApp, type SessionClient } from '../../support/session-client.ts'
import type { Handler } from '../../support/session-server.ts'
import { runDueAlarms, socketsOf } from './lifetime.ts'
import { NOTHING, storedBy } from './stored.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Advances the clock and runs the alarms that are due. */
async function pass(session: SessionClient, ms: number) {
  advanceClock(ms)
  await runDueAlarms(session)
}

describe('a subscription of a session', () => {
  it('is stored with the settings of the client, and is deleted when it is removed', async () => {
    const session = await openSession()
    await session.request('logging/setLevel', { level: 'error' })
    await session.request('resources/subscribe', { uri: 'note://a' })
    expect((await storedBy(session)).rows).toEqual({ migrations: 1, settings: 4, subscriptions: 1 })
    await session.request('resources/unsubscribe', { uri: 'note://a' })
    expect((await storedBy(session)).rows).toEqual({ migrations: 1, settings: 4 })
  })

  it('stores nothing when one is removed that does not exist', async () => {
    const session = await openSession()
    const response = await session.request('resources/unsubscribe', { uri: 'note://a' })
    expect(response).toHaveProperty('result')
    expect(await storedBy(session)).toEqual(NOTHING)
  })

  it('stays with the settings of the client until the session id expires when the session has held a stream', async () => {
    const session = await openSession()
    await session.request('logging/setLevel', { level: 'debug' })
    await session.request('resources/subscribe', { uri: 'note://a' })
    await (await session.listen()).next()
    const call = await session.stream(async ({ log }) => {
      await log('info', 'under way')
      return 'done'
    })
    await call.rest()
    await pass(session, 5 * MINUTE_MS)
    expect((await storedBy(session)).rows).toEqual({ migrations: 1, settings: 5, subscriptions: 1 })
    await pass(session, 29 * DAY_MS)
    expect((await storedBy(session)).rows).toEqual({ migrations: 1, settings: 5, subscriptions: 1 })
    await pass(session, 1 * DAY_MS)
    expect(await storedBy(session)).toEqual(NOTHING)
  })

  it('ends with its session a day after the last request when the session has never held a stream', async () => {
    const session = await openSession()
    await session.request('resources/subscribe', { uri: 'note://a' })
    await evictDurableObject(await session.stub())
    await pass(session, 23 * HOUR_MS)
    expect((await storedBy(session)).rows).toHaveProperty('settings')
    await pass(session, 3 * HOUR_MS)
    expect(await storedBy(session)).toEqual(NOTHING)
    expect((await session.send('ping')).status).toBe(404)
    await evictDurableObject(await session.stub())
    expect((await session.send('ping')).status).toBe(404)
  })
})

describe('a standalone stream', () => {
  const TOOLS: Handler = async ({ notify }) => {
    await notify.toolsChanged()
    return 'notified'
  }

  it('keeps its changes for five minutes after its reader disconnects', async () => {
    // A disconnected reader is detected when a comment is written to it.
    const app = openSessionApp({ limits: { keepAliveMs: 100 } })
    const session = await openSession({}, app)
    const idle = await session.listen()
    await session.call(TOOLS)
    expect((await idle.message()).method).toBe('notifications/tools/list_changed')
    await idle.leave()
    await expect.poll(() => socketsOf(session)).toBe(0)
    await pass(session, 4 * MINUTE_MS)
    expect((await storedBy(session)).rows).toMatchObject({ streams: 1, events: 1 })
    await pass(session, 2 * MINUTE_MS)
    expect((await storedBy(session)).rows).toEqual({ migrations: 1, settings: 2, streams: 1 })
    await pass(session, 30 * DAY_MS)
    expect(await storedBy(session)).toEqual(NOTHING)
  })
})
