import { evictDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { advanceClock } from '../../support/clock.ts'
import { createLatch } from '../../support/latch.ts'
import {
  openSession,
  openSessionApp,
  type SessionClient,
  textOf,
} from '../../support/session-client.ts'
import { type Handler, keepHandler } from '../../support/session-server.ts'
import { SseReader } from '../../support/sse-reader.ts'
import { runDueAlarms } from './lifetime.ts'
import { NOTHING, storedBy } from './stored.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

const LOGS: Handler = async ({ log }) => {
  await log('info', 'under way')
  return 'done'
}

const ASKS: Handler = async ({ listRoots }) => `${(await listRoots()).length} folders`

/** Advances the clock and runs the alarms that are due. */
async function pass(session: SessionClient, ms: number) {
  advanceClock(ms)
  await runDueAlarms(session)
}

describe('the log of a stream that has ended', () => {
  it('can be replayed for five minutes, and is deleted after that', async () => {
    const session = await openSession()
    const call = await session.stream(LOGS)
    await call.rest()
    const [priming = '', first = ''] = call.ids
    await pass(session, 4 * MINUTE_MS)
    expect(await (await session.listen(priming)).rest()).toHaveLength(2)
    expect(await (await session.listen(first)).rest()).toHaveLength(1)
    await pass(session, MINUTE_MS)
    expect(await storedBy(session)).toEqual(NOTHING)
    const late = await session.get(first)
    expect([late.status, (await late.json<{ error: object }>()).error]).toEqual([
      410,
      {
        code: -32600,
        message: 'Events after Last-Event-ID are pruned. Open a new stream [event-id-pruned]',
      },
    ])
  })

  it('is deleted without the settings of the client, which stay until the session id expires', async () => {
    const session = await openSession()
    await session.request('logging/setLevel', { level: 'debug' })
    await (await session.listen()).next()
    await (await session.stream(LOGS)).rest()
    await pass(session, 5 * MINUTE_MS)
    expect((await storedBy(session)).rows).toEqual({ migrations: 1, settings: 4 })
    await pass(session, 29 * DAY_MS)
    expect((await storedBy(session)).rows).toEqual({ migrations: 1, settings: 4 })
    await pass(session, 1 * DAY_MS)
    expect(await storedBy(session)).toEqual(NOTHING)
  })
})

describe('the log of a call without an answer', () => {
  it('stays while the call runs, with an alarm every 20 seconds', async () => {
    const session = await openSession()
    const { wait, open } = createLatch()
    const call = await session.stream(async ({ log, signal }) => {
      await log('info', 'under way')
      await wait(signal)
      return 'done'
    })
    expect((await call.message()).method).toBe('notifications/message')
    for (let beat = 1; beat <= 3; beat++) {
      const { alarm } = await storedBy(session)
      expect(alarm).toBeLessThanOrEqual(Date.now() + 20_000)
      advanceClock(20_000)
      expect(await runDueAlarms(session)).toBe(1)
      expect((await storedBy(session)).rows).toMatchObject({ runs: 1 })
    }
    open()
    expect(textOf(await call.message())).toBe('done')
  })
})

describe('an ask without a response', () => {
  it('is withdrawn after ten minutes, and the call ends with an error that says so', async () => {
    const session = await openSession()
    const call = await session.stream(ASKS)
    const question = await call.message()
    await pass(session, 10 * MINUTE_MS)
    expect(await call.message()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: question.id, reason: 'The request has ended' },
    })
    expect(await call.message()).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: {
        content: [
          {
            type: 'text',
            text: 'The question was not answered in time. The call may be repeated.',
          },
        ],
        isError: true,
      },
    })
    expect(await call.message()).toBeUndefined()
    expect(session.app.events).toEqual([])
    expect(await session.answer(question, { roots: [] })).toBe(202)
    expect(session.app.events).toEqual([
      { type: 'leniency', name: 'unexpected-response', method: undefined },
    ])
    await pass(session, 5 * MINUTE_MS)
    expect(await storedBy(session)).toEqual(NOTHING)
  })

  it('ends a prompt with a JSON-RPC error', async () => {
    const session = await openSession()
    const params = {
      name: 'run',
      arguments: keepHandler(async (ctx) => `${await ctx.listRoots()}`),
    }
    const call = new SseReader(await session.send('prompts/get', params))
    expect((await call.message()).method).toBe('roots/list')
    await pass(session, 10 * MINUTE_MS)
    expect((await call.rest())[1].error).toEqual({
      code: -32603,
      message: 'The question was not answered in time. The call may be repeated.',
    })
  })
})

describe('a terminated session', () => {
  it('deletes its storage at once, and is unknown until its id expires and after that', async () => {
    const session = await openSession()
    await session.request('logging/setLevel', { level: 'debug' })
    await (await session.stream(LOGS)).rest()
    expect((await session.end()).status).toBe(204)
    expect(await storedBy(session)).toEqual(NOTHING)
    await evictDurableObject(await session.stub())
    expect((await session.send('ping')).status).toBe(404)
    expect((await session.get()).status).toBe(404)
    await evictDurableObject(await session.stub())
    expect((await session.end()).status).toBe(404)
    expect(await storedBy(session)).toEqual(NOTHING)
    await pass(session, 30 * DAY_MS)
    expect((await session.send('ping')).status).toBe(404)
  })

  it('is terminated once by concurrent requests', async () => {
    const session = await openSession()
    const ends = await Promise.all([1, 2, 3, 4].map(() => session.end()))
    expect(ends.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404])
  })
})

describe('a session whose id expires', () => {
  it('keeps its logs for their retention time, and is not woken in a loop', async () => {
    const app = openSessionApp({ featureLimits: { sessions: { lifetimeMs: MINUTE_MS } } })
    const session = await openSession({}, app)
    await (await session.stream(LOGS)).rest()
    await pass(session, MINUTE_MS)
    expect((await session.send('ping')).status).toBe(404)
    expect((await storedBy(session)).rows).toMatchObject({ streams: 1, events: 2 })
    await pass(session, 4 * MINUTE_MS)
    expect(await storedBy(session)).toEqual(NOTHING)
  })
})
