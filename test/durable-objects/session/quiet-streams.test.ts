/** Streams that were quiet for longer than their log is kept: a reader that has received everything may resume. */
// features: changes
import { runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { advanceClock } from '../../support/clock.ts'
import { openSession, openSessionApp, type SessionClient } from '../../support/session-client.ts'
import type { Handler } from '../../support/session-server.ts'
import type { SseReader } from '../../support/sse-reader.ts'
import { kill, runDueAlarms, socketsOf } from './lifetime.ts'
import { NOTHING, storedBy } from './stored.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const CHANGED = 'notifications/tools/list_changed'

// A disconnected reader is detected when a comment is written to it.
const app = openSessionApp({ limits: { keepAliveMs: 100 } })

const TOOLS: Handler = async ({ notify }) => {
  await notify.toolsChanged()
  return 'notified'
}

/** Publishes a change and reads it from the newest stream of the session. */
async function change(session: SessionClient, stream: SseReader): Promise<void> {
  await session.call(TOOLS)
  expect((await stream.message()).method).toBe(CHANGED)
}

async function leave(session: SessionClient, stream: SseReader): Promise<void> {
  await stream.leave()
  await expect.poll(() => socketsOf(session)).toBe(0)
}

async function pass(session: SessionClient, ms: number): Promise<void> {
  advanceClock(ms)
  await runDueAlarms(session)
}

describe('a standalone stream that was quiet for longer than its log is kept', () => {
  it.each(['one stream', 'two streams'])(
    'is resumed after a kill whose alarm comes before its reader, with the changes since then (%s)',
    async (count) => {
      const session = await openSession({}, app)
      const quiet = await session.listen()
      await change(session, quiet)
      const busy = count === 'two streams' ? await session.listen() : undefined
      if (busy !== undefined) await change(session, busy)
      await pass(session, 4 * MINUTE_MS)
      // The alarm of the other stream is due when the process is killed.
      if (busy !== undefined) await change(session, busy)
      advanceClock(6 * MINUTE_MS)
      // Both readers lose their connection with the process.
      await Promise.all([quiet.leave(), busy?.leave()])
      await kill(session)
      await runDueAlarms(session)
      const resumed = await session.get(quiet.lastId)
      expect(resumed.status).toBe(200)
      await resumed.body?.cancel()
    },
  )

  it('is refused with 410 before its last event, and with 400 after it', async () => {
    const session = await openSession({}, app)
    const stream = await session.listen()
    await change(session, stream)
    await change(session, stream)
    await leave(session, stream)
    await pass(session, 10 * MINUTE_MS)
    const [priming = '', first = '', last = ''] = stream.ids
    const [seal, number] = last.split('~')
    const after = `${seal}~${Number(number) + 1}`
    const statuses = []
    for (const id of [priming, first, after, last]) {
      const response = await session.get(id)
      statuses.push(response.status)
      await response.body?.cancel()
    }
    expect(statuses).toEqual([410, 410, 400, 200])
  })

  it('that has carried nothing is resumed after its priming event, and stores nothing', async () => {
    const session = await openSession({}, app)
    const stream = await session.listen()
    await stream.next()
    await stream.next()
    await leave(session, stream)
    await pass(session, 10 * MINUTE_MS)
    const resumed = await session.get(stream.lastId)
    expect(resumed.status).toBe(200)
    await resumed.body?.cancel()
    expect(await storedBy(session)).toEqual(NOTHING)
  })
})

describe('the ends of the quiet streams of a session', () => {
  it('are at most a hundred: those of the oldest are forgotten', async () => {
    const session = await openSession({}, app)
    const stream = await session.listen()
    await change(session, stream)
    await leave(session, stream)
    await runInDurableObject(await session.stub(), (_, { storage: { sql } }) => {
      for (let end = 1; end <= 101; end++) {
        const row = [`stream-${end}`, end, end] as const
        sql.exec("INSERT INTO streams VALUES (?, 'standalone', ?, ?, NULL, 0)", ...row)
      }
    })
    await pass(session, 10 * MINUTE_MS)
    const kept = await runInDurableObject(await session.stub(), (_, { storage: { sql } }) =>
      sql.exec<{ id: string }>('SELECT id FROM streams ORDER BY pruned_to').toArray(),
    )
    expect([kept.length, kept[0]?.id]).toEqual([100, 'stream-3'])
    const resumed = await session.get(stream.lastId)
    expect(resumed.status).toBe(200)
    await resumed.body?.cancel()
  })

  it('are deleted before the log of a running call, which has no number yet', async () => {
    const session = await openSession({}, app)
    const stream = await session.listen()
    await change(session, stream)
    await leave(session, stream)
    await runInDurableObject(await session.stub(), (_, { storage: { sql } }) => {
      for (let end = 1; end <= 102; end++) {
        const row = [`stream-${end}`, end, end] as const
        sql.exec("INSERT INTO streams VALUES (?, 'standalone', ?, ?, NULL, 0)", ...row)
      }
      sql.exec("INSERT INTO streams VALUES ('call', 'answer', 0, 0, NULL, 0)")
      sql.exec("INSERT INTO streams VALUES ('of-a-run', 'main', 0, 0, NULL, 0)")
      sql.exec(
        `INSERT INTO runs (id, stream_id, request_id, request, state, sent, caller)
         VALUES ('run', 'of-a-run', '1', '{}', 'waiting', '{}', NULL)`,
      )
    })
    await pass(session, 10 * MINUTE_MS)
    const kept = await runInDurableObject(await session.stub(), (_, { storage: { sql } }) =>
      sql.exec<{ id: string }>('SELECT id FROM streams ORDER BY pruned_to, id LIMIT 3').toArray(),
    )
    expect(kept.map(({ id }) => id)).toEqual(['call', 'of-a-run', 'stream-4'])
  })

  it('are deleted when the session id expires', async () => {
    const session = await openSession({}, app)
    const stream = await session.listen()
    await change(session, stream)
    await leave(session, stream)
    await pass(session, 10 * MINUTE_MS)
    await pass(session, 30 * DAY_MS)
    expect(await storedBy(session)).toEqual(NOTHING)
  })
})
