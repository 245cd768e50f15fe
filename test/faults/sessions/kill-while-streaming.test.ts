/**
 * The process killed in the middle of a streaming call. Whoever comes back gets what it had not had,
 * each event once, and an end: the answer, or a word on why there is none.
 */
import { describe, expect, it } from 'vitest'
import { PATIENT } from './bounded.ts'
import type { EventReader } from './event-reader.ts'
import { KeptServer } from './kept-server.ts'
import { brief, INTERRUPTED, type Message } from './message.ts'
import { moment } from './moment.ts'
import { openSession, toolCall } from './session.ts'

const RUNS = 'reads-only-runs'

type AtEnd = Parameters<typeof KeptServer.start>[0]

async function begin(atEnd: AtEnd, version?: string) {
  const server = await KeptServer.start(atEnd)
  return { server, session: await openSession(server.url, version ? { version } : {}) }
}

const failed = (id: number, text: string = INTERRUPTED) => ({
  jsonrpc: '2.0',
  id,
  result: { content: [{ type: 'text', text }], isError: true },
})

const byId = (one: Message, other: Message) => Number(one.id) - Number(other.id)

/** The numbers of progress notifications, where there is nothing but those before the last. */
function progressOf(messages: readonly Message[]): unknown[] {
  return messages.slice(0, -1).map(({ params }) => params?.progress)
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

describe.concurrent('a call that may not be run twice', () => {
  it.for([
    ['2025-11-25', 1],
    ['2025-11-25', 20],
    ['2025-06-18', 1],
    ['2025-03-26', 20],
  ] as const)(
    'goes on where it broke off, and ends with a word (%s, after %i)',
    async ([version, after], { onTestFinished }) => {
      const { server, session } = await begin(onTestFinished, version)
      const events = await session.stream('progress', { count: 1000, gapMs: 5 })
      await events.message(after - 1)
      await server.kill()
      await events.rest()
      session.url = await server.startAgain()
      const resumed = await session.listen(events.lastId)
      const all = [...events.messages, ...(await resumed.rest())]
      expect(all.length).toBeGreaterThan(after)
      expect(progressOf(all)).toEqual(upTo(all.length - 1))
      expect(all.at(-1)).toEqual(failed(1))
      // It is over, and stays so.
      expect(await (await session.listen(resumed.lastId)).rest()).toEqual([])
    },
  )

  it('gives back what was sent to a client that had left before', async ({ onTestFinished }) => {
    const { server, session } = await begin(onTestFinished)
    const events = await session.stream('progress', { count: 1000, gapMs: 5 })
    const had = brief(await events.message(2))
    const id = events.ids[2] ?? ''
    await events.message(30)
    await server.kill()
    session.url = await server.startAgain({ samePort: true })
    const resumed = await (await session.listen(id)).rest()
    expect(had).toBe('progress 3')
    expect(resumed.length).toBeGreaterThan(28)
    expect(progressOf(resumed)).toEqual(upTo(resumed.length + 2).slice(3))
    expect(resumed.at(-1)).toEqual(failed(1))
  })

  it('does none of its steps a second time', async ({ expect, onTestFinished }) => {
    const { server, session } = await begin(onTestFinished)
    const events = await session.stream('ten_steps', { name: 'killed', gapMs: 50 })
    await expect.poll(() => session.readCount('killed-4'), { ...PATIENT, interval: 5 }).toBe(1)
    await server.kill()
    session.url = await server.startAgain()
    expect(await (await session.listen(events.lastId)).rest()).toEqual([failed(1)])
    const counts = await Promise.all(upTo(10).map((n) => session.readCount(`killed-${n}`)))
    expect(counts.slice(0, 4)).toEqual([1, 1, 1, 1])
    expect(counts.at(-1)).toBe(0)
    expect(Math.max(...counts)).toBe(1)
  })

  it('has its word on every stream, where several were cut off', async ({ onTestFinished }) => {
    const { server, session } = await begin(onTestFinished)
    const calls = upTo(10)
    const streams = await Promise.all(
      calls.map(() => session.stream('progress', { count: 1000, gapMs: 10 })),
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

  it('has its word where it had closed its own stream', async ({ onTestFinished }) => {
    const { server, session } = await begin(onTestFinished)
    const events = await session.stream('close_then_finish', { ms: 60_000 })
    expect(await events.rest()).toEqual([])
    session.url = await server.restart()
    expect(await (await session.listen(events.lastId)).rest()).toEqual([failed(1)])
  })

  it('has no word where its cancellation was acknowledged', async ({ onTestFinished }) => {
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
      expect(await (await session.listen(lastId)).rest()).toEqual([])
    }
  })

  it('has its word beside those of its batch, begun or not', async ({ onTestFinished }) => {
    const { server, session } = await begin(onTestFinished, '2025-03-26')
    const { events } = await session.post([
      toolCall('progress', { count: 1000, gapMs: 5 }, 1),
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

  it('leaves what had ended before as it was', async ({ onTestFinished }) => {
    const { server, session } = await begin(onTestFinished)
    const ended = await session.stream('progress', { count: 5, gapMs: 1 })
    await ended.rest()
    const cut = await session.stream('progress', { count: 1000, gapMs: 5 })
    await cut.message(0)
    await server.kill()
    session.url = await server.startAgain()
    const again = await (await session.listen(ended.ids[1])).rest()
    expect(again.map(brief)).toEqual(['progress 3', 'progress 4', 'progress 5', 'result 1 done'])
  })
})

describe.concurrent('a call that may be run again', () => {
  it('is, and its answer is there for whoever comes back', async ({ onTestFinished }) => {
    const { server, session } = await begin(onTestFinished)
    const events = await session.stream('reads_only', { ms: 800 })
    await events.primed()
    await server.kill()
    session.url = await server.startAgain()
    const resumed = await session.listen(events.lastId)
    expect((await resumed.rest()).map(({ id, result }) => [id, result?.structuredContent])).toEqual(
      [[1, { value: 1 }]],
    )
    expect(await session.readCount(RUNS)).toBe(1)
  })

  it('is not run again when it had its answer', async ({ onTestFinished }) => {
    const { server, session } = await begin(onTestFinished)
    const events = await session.stream('reads_only', { ms: 150 })
    await events.primed()
    const id = events.lastId
    await events.rest()
    await server.kill()
    session.url = await server.startAgain()
    const again = await (await session.listen(id)).rest()
    expect(again).toEqual(events.messages)
    expect(await session.readCount(RUNS)).toBe(1)
  })

  it('is given up with a word when it is cut off again and again', async ({ onTestFinished }) => {
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

describe('a kill at any moment of the first milliseconds', () => {
  const MOMENTS_MS = [60, 100, 140, 180]
  const SESSIONS = upTo(25)

  it.for(MOMENTS_MS)(
    'leaves no stream without its end (%i ms)',
    async (killAfter, { onTestFinished }) => {
      const server = await KeptServer.start(onTestFinished)
      const sessions = await Promise.all(SESSIONS.map(() => openSession(server.url)))
      const calls = sessions.map(async (session, index) => {
        await moment(index * 5)
        // A call whose head never came was never acknowledged.
        return session.stream('progress', { count: 1000, gapMs: 1 }).catch(() => undefined)
      })
      await moment(killAfter)
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
