/**
 * Kills the process during a streaming call. A client that resumes receives each missing event once, and
 * an end: the answer, or an error with the reason.
 */
import { describe, expect, it } from 'vitest'
import { POLL } from './bounded.ts'
import { delay } from './delay.ts'
import type { EventReader } from './event-reader.ts'
import { brief, INTERRUPTED, type Message } from './message.ts'
import { PersistentServer } from './persistent-server.ts'
import { openSession, toolCall } from './session.ts'

const RUNS = 'reads-only-runs'

type AtEnd = Parameters<typeof PersistentServer.start>[0]

async function begin(atEnd: AtEnd, version?: string) {
  const server = await PersistentServer.start(atEnd)
  return { server, session: await openSession(server.url, version ? { version } : {}) }
}

const failed = (id: number, text: string = INTERRUPTED) => ({
  jsonrpc: '2.0',
  id,
  result: { content: [{ type: 'text', text }], isError: true },
})

const byId = (one: Message, other: Message) => Number(one.id) - Number(other.id)

/** The progress values of all messages before the last one. */
function progressOf(messages: readonly Message[]): unknown[] {
  return messages.slice(0, -1).map(({ params }) => params?.progress)
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

describe.concurrent('an interrupted call that must not be repeated', () => {
  it.for([
    ['2025-11-25', 1],
    ['2025-11-25', 20],
    ['2025-06-18', 1],
    ['2025-03-26', 20],
  ] as const)(
    'continues its stream after the last event, and ends with an error (%s, after %i)',
    async ([version, after], { onTestFinished }) => {
      const { server, session } = await begin(onTestFinished, version)
      const events = await session.stream('progress', { count: 1000, gapMs: 20 })
      await events.message(after - 1)
      await server.kill()
      await events.rest()
      session.url = await server.startAgain()
      const resumed = await session.listen(events.lastId)
      const all = [...events.messages, ...(await resumed.rest())]
      expect(all.length).toBeGreaterThan(after)
      expect(progressOf(all)).toEqual(upTo(all.length - 1))
      expect(all.at(-1)).toEqual(failed(1))
      // The stream has ended and does not start again.
      expect(await session.get(resumed.lastId)).toBe(405)
    },
  )

  it('replays the events that were sent after its client disconnected', async ({
    onTestFinished,
  }) => {
    const { server, session } = await begin(onTestFinished)
    const events = await session.stream('progress', { count: 1000, gapMs: 20 })
    const third = brief(await events.message(2))
    const id = events.ids[2] ?? ''
    await events.message(30)
    await server.kill()
    session.url = await server.startAgain({ samePort: true })
    const resumed = await (await session.listen(id)).rest()
    expect(third).toBe('progress 3')
    expect(resumed.length).toBeGreaterThan(28)
    expect(progressOf(resumed)).toEqual(upTo(resumed.length + 2).slice(3))
    expect(resumed.at(-1)).toEqual(failed(1))
  })

  it('runs none of its steps twice', async ({ expect, onTestFinished }) => {
    const { server, session } = await begin(onTestFinished)
    const events = await session.stream('ten_steps', { name: 'killed', gapMs: 3000 })
    await expect.poll(() => session.readCount('killed-2'), { ...POLL, interval: 5 }).toBe(1)
    await server.kill()
    session.url = await server.startAgain()
    expect(await (await session.listen(events.lastId)).rest()).toEqual([failed(1)])
    const counts = await Promise.all(upTo(10).map((n) => session.readCount(`killed-${n}`)))
    expect(counts.slice(0, 2)).toEqual([1, 1])
    expect(counts.at(-1)).toBe(0)
    expect(Math.max(...counts)).toBe(1)
  })

  it('ends every stream with an error of its own when several calls were interrupted', async ({
    onTestFinished,
  }) => {
    const { server, session } = await begin(onTestFinished)
    const calls = upTo(10)
    const streams = await Promise.all(
      calls.map(() => session.stream('progress', { count: 1000, gapMs: 20 })),
    )
    await Promise.all(streams.map((events) => events.message(1)))
    await server.kill()
    session.url = await server.startAgain()
    const ends = await Promise.all(
      streams.map(async (events, index) => {
        await events.rest()
        const all = [...events.messages, ...(await (await session.listen(events.lastId)).rest())]
        expect(progressOf(all)).toEqual(upTo(all.length - 1))
        const tokens = new Set(all.slice(0, -1).map(({ params }) => params?.progressToken))
        return [[...tokens], all.at(-1)?.id, index + 1]
      }),
    )
    expect(ends.map(([tokens]) => tokens)).toEqual(ends.map(([, id]) => [id]))
    expect(ends.map(([, id]) => id).sort((a, b) => Number(a) - Number(b))).toEqual(calls)
  })

  it('ends with an error when it had closed its own connection', async ({ onTestFinished }) => {
    const { server, session } = await begin(onTestFinished)
    const events = await session.stream('close_then_finish', { ms: 60_000 })
    expect(await events.rest()).toEqual([])
    session.url = await server.restart()
    expect(await (await session.listen(events.lastId)).rest()).toEqual([failed(1)])
  })

  it('has no answer when its cancellation was acknowledged', async ({ onTestFinished }) => {
    const { server, session } = await begin(onTestFinished)
    const calls = ['slow', 'reads_only'].map((name) => session.stream(name, { ms: 60_000 }))
    const streams = await Promise.all(calls)
    await Promise.all(streams.map((events) => events.primed()))
    const method = 'notifications/cancelled'
    const cancelled = [1, 2].map((requestId) =>
      session.post({ jsonrpc: '2.0', method, params: { requestId } }),
    )
    expect((await Promise.all(cancelled)).map(({ status }) => status)).toEqual([202, 202])
    session.url = await server.restart()
    for (const { lastId } of streams) {
      expect(await session.get(lastId)).toBe(405)
    }
  })

  it('ends with an error for each request of its batch, started or not', async ({
    onTestFinished,
  }) => {
    const { server, session } = await begin(onTestFinished, '2025-03-26')
    const { events } = await session.post([
      toolCall('progress', { count: 1000, gapMs: 20 }, 1),
      toolCall('count', { name: 'batched' }, 2),
      toolCall('echo', { text: 'safe' }, 3),
    ])
    if (events === undefined) throw new Error('No stream')
    await events.message(5)
    await server.kill()
    await events.rest()
    session.url = await server.startAgain()
    const all = [...events.messages, ...(await (await session.listen(events.lastId)).rest())]
    const progress = all.flatMap(({ params }) => params?.progress ?? [])
    expect(progress).toEqual(upTo(progress.length))
    const answers = all.filter(({ id }) => id !== undefined).sort(byId)
    expect(answers.slice(0, 2)).toEqual([failed(1), failed(2)])
    expect(answers.slice(2).map(brief)).toEqual(['result 3 safe'])
    expect(all).toHaveLength(progress.length + 3)
    expect(await session.readCount('batched')).toBe(0)
  })

  it('does not change the log of a stream that had ended before', async ({ onTestFinished }) => {
    const { server, session } = await begin(onTestFinished)
    const ended = await session.stream('progress', { count: 5, gapMs: 1 })
    await ended.rest()
    const cut = await session.stream('progress', { count: 1000, gapMs: 20 })
    await cut.message(0)
    await server.kill()
    session.url = await server.startAgain()
    const again = await (await session.listen(ended.ids[1])).rest()
    expect(again.map(brief)).toEqual(['progress 3', 'progress 4', 'progress 5', 'result 1 done'])
  })
})

describe.concurrent('an interrupted call that may be repeated', () => {
  it('runs again, and its client receives the answer when it resumes', async ({
    onTestFinished,
  }) => {
    const { server, session } = await begin(onTestFinished)
    const events = await session.stream('reads_only', { ms: 10_000 })
    await events.primed()
    await server.kill()
    session.url = await server.startAgain()
    const resumed = await session.listen(events.lastId)
    expect((await resumed.rest()).map(({ id, result }) => [id, result?.structuredContent])).toEqual(
      [[1, { value: 1 }]],
    )
    expect(await session.readCount(RUNS)).toBe(1)
  })

  it('does not run again after its answer', async ({ onTestFinished }) => {
    const { server, session } = await begin(onTestFinished)
    const events = await session.stream('reads_only', { ms: 3000 })
    await events.primed()
    // The priming event, also when the answer arrived together with it.
    const id = events.lastId.replace(/~\d+$/, '~0')
    await events.rest()
    await server.kill()
    session.url = await server.startAgain()
    const again = await (await session.listen(id)).rest()
    expect(again).toEqual(events.messages)
    expect(await session.readCount(RUNS)).toBe(1)
  })

  it('ends with an error when it is interrupted repeatedly', async ({ onTestFinished }) => {
    const { server, session } = await begin(onTestFinished)
    let events: EventReader = await session.stream('reads_only', { ms: 60_000 })
    await events.primed()
    for (const _ of upTo(3)) {
      session.url = await server.restart()
      events = await session.listen(events.lastId)
      await events.primed()
    }
    session.url = await server.restart()
    const text = 'The server was interrupted while this call was running. The call may be repeated.'
    expect(await (await session.listen(events.lastId)).rest()).toEqual([failed(1, text)])
    expect(await session.readCount(RUNS)).toBe(0)
  })
})

describe('a kill in the first milliseconds of calls', () => {
  const KILL_TIMES_MS = [60, 100, 140, 180]
  const SESSIONS = upTo(25)

  it.for(KILL_TIMES_MS)(
    'leaves no stream without an end (%i ms)',
    async (killAfter, { onTestFinished }) => {
      const server = await PersistentServer.start(onTestFinished)
      const sessions = await Promise.all(SESSIONS.map(() => openSession(server.url)))
      const calls = sessions.map(async (session, index) => {
        await delay(index * 5)
        // A call without a response head was not acknowledged.
        return session.stream('progress', { count: 1000, gapMs: 1 }).catch(() => undefined)
      })
      await delay(killAfter)
      await server.kill()
      const url = await server.startAgain()
      for (const [index, session] of sessions.entries()) {
        session.url = url
        const events = await calls[index]
        await events?.rest()
        if (events === undefined || events.lastId === '') {
          expect(events?.messages ?? []).toEqual([])
        } else {
          const all = [...events.messages, ...(await (await session.listen(events.lastId)).rest())]
          expect(progressOf(all)).toEqual(upTo(all.length - 1))
          expect(all.at(-1)).toEqual(failed(1))
        }
        const echoed = await session.request('tools/call', {
          name: 'echo',
          arguments: { text: 'on' },
        })
        expect(brief(echoed)).toMatch(/^result \d+ on$/)
      }
    },
  )
})
