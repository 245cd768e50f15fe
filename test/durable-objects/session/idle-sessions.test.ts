/** Sessions that have never held a stream with GET: what they store ends a day after their last request. */
// features: state
import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { advanceClock } from '../../support/clock.ts'
import { openSession, openSessionApp, type SessionClient } from '../../support/session-client.ts'
import { kill, runDueAlarms, socketsOf } from './lifetime.ts'
import { NOTHING, storedBy } from './stored.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

async function pass(session: SessionClient, ms: number): Promise<void> {
  advanceClock(ms)
  await runDueAlarms(session)
}

const SETTINGS: Readonly<Record<string, (session: SessionClient) => Promise<unknown>>> = {
  'a log level': (session) => session.request('logging/setLevel', { level: 'debug' }),
  state: (session) =>
    session.call(async ({ state }) => {
      await state.session.set('name', 'Ada')
      return 'stored'
    }),
}

describe('a session that has never held a stream', () => {
  describe.each(Object.entries(SETTINGS))('and stores %s', (_, store) => {
    it('ends a day after its last request: it stores nothing, and its id is unknown', async () => {
      const session = await openSession()
      await store(session)
      await evictDurableObject(await session.stub())
      await pass(session, 23 * HOUR_MS)
      expect((await storedBy(session)).rows).toHaveProperty('settings')
      await pass(session, 3 * HOUR_MS)
      expect(await storedBy(session)).toEqual(NOTHING)
      const { status } = await session.send('ping')
      expect(status).toBe(404)
      await evictDurableObject(await session.stub())
      expect((await session.send('ping')).status).toBe(404)
    })
  })

  it('stays while it is used once a day', async () => {
    const session = await openSession()
    await session.request('logging/setLevel', { level: 'debug' })
    for (let day = 0; day < 5; day++) {
      await pass(session, DAY_MS)
      expect((await session.send('ping')).status).toBe(200)
    }
    expect((await storedBy(session)).rows).toHaveProperty('settings')
    await pass(session, 26 * HOUR_MS)
    expect(await storedBy(session)).toEqual(NOTHING)
  })

  it('stays while a call of it waits', async () => {
    const session = await openSession()
    await session.request('logging/setLevel', { level: 'debug' })
    const call = await session.stream(async ({ sleep }) => {
      await sleep('long', 3 * DAY_MS)
      return 'awake'
    })
    await pass(session, 2 * DAY_MS)
    expect((await storedBy(session)).rows).toMatchObject({ runs: 1 })
    await pass(session, DAY_MS)
    expect((await call.message()).result.content[0].text).toBe('awake')
    await pass(session, 6 * 60_000)
    expect(await storedBy(session)).toEqual(NOTHING)
  })

  it('keeps its id for thirty days when it stores nothing', async () => {
    const session = await openSession()
    expect((await session.send('ping')).status).toBe(200)
    await pass(session, 29 * DAY_MS)
    expect((await session.send('ping')).status).toBe(200)
    expect(await storedBy(session)).toEqual(NOTHING)
  })

  it('has its alarm a day and an hour after its request, because the time is stored to the hour', async () => {
    const session = await openSession()
    await session.request('logging/setLevel', { level: 'debug' })
    const { alarm } = await storedBy(session)
    expect(Math.round(((alarm ?? 0) - Date.now()) / HOUR_MS)).toBe(25)
  })

  it('of a version that stored no time of its requests ends a day after the next alarm', async () => {
    const session = await openSession()
    await session.request('logging/setLevel', { level: 'debug' })
    await runInDurableObject(await session.stub(), (_, { storage: { sql } }) => {
      sql.exec("DELETE FROM settings WHERE name = 'used-at'")
    })
    await evictDurableObject(await session.stub())
    await pass(session, 26 * HOUR_MS)
    expect((await storedBy(session)).rows).toHaveProperty('settings')
    await pass(session, 26 * HOUR_MS)
    expect(await storedBy(session)).toEqual(NOTHING)
  })
})

describe('a session that has held a stream', () => {
  // A disconnected reader is detected when a comment is written to it.
  const app = openSessionApp({ limits: { keepAliveMs: 100 } })

  it.each(['before it stored a log level', 'after it stored a log level'])(
    'keeps what it stores until its id expires, also after a kill (%s)',
    async (when) => {
      const session = await openSession({}, app)
      const setLevel = () => session.request('logging/setLevel', { level: 'debug' })
      if (when !== 'before it stored a log level') await setLevel()
      const stream = await session.listen()
      if (when === 'before it stored a log level') await setLevel()
      await stream.leave()
      await expect.poll(() => socketsOf(session)).toBe(0)
      await kill(session)
      await pass(session, 29 * DAY_MS)
      expect((await session.send('ping')).status).toBe(200)
      expect((await storedBy(session)).rows).toHaveProperty('settings')
      await pass(session, DAY_MS)
      expect(await storedBy(session)).toEqual(NOTHING)
    },
  )

  it('keeps what it stores while the stream is open', async () => {
    const session = await openSession({}, app)
    const stream = await session.listen()
    await session.request('logging/setLevel', { level: 'debug' })
    await pass(session, 3 * DAY_MS)
    expect((await storedBy(session)).rows).toHaveProperty('settings')
    await stream.leave()
  })
})
