/**
 * Kills the process during streaming calls. A client that resumes receives each missing event once, and
 * an end: the answer, or an error with the reason.
 */
import { describe, expect, it } from 'vitest'
import { delay } from './delay.ts'
import type { EventReader } from './event-reader.ts'
import { brief, INTERRUPTED, type Message } from './message.ts'
import { PersistentServer } from './persistent-server.ts'
import { openSession, type Session, toolCall } from './session.ts'

const LONG = { count: 1000, gapMs: 20 }

const failed = (id: number) => ({
  jsonrpc: '2.0',
  id,
  result: { content: [{ type: 'text', text: INTERRUPTED }], isError: true },
})

/** The progress values of all messages before the last one. */
function progressOf(messages: readonly Message[]): unknown[] {
  return messages.slice(0, -1).map(({ params }) => params?.progress)
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

async function streamOfBatch(session: Session): Promise<EventReader> {
  const { events } = await session.post([
    toolCall('progress', LONG, 1),
    toolCall('count', { name: 'batched' }, 2),
    toolCall('echo', { text: 'safe' }, 3),
  ])
  if (events === undefined) throw new Error('No stream')
  await events.message(5)
  return events
}

it('the streams of killed calls continue after their last events: with an error under every revision, with an answer if the call may be repeated, and not at all if it was cancelled', async ({
  onTestFinished,
}) => {
  const server = await PersistentServer.start(onTestFinished)
  const open = (version: string) => openSession(server.url, { version })
  const interrupted = await Promise.all(
    ['2025-11-25', '2025-06-18', '2025-03-26'].map(async (version) => {
      const session = await open(version)
      return { session, events: await session.stream('progress', LONG) }
    }),
  )
  const repeating = await open('2025-11-25')
  const ended = await repeating.stream('progress', { count: 5, gapMs: 1 })
  await ended.rest()
  const repeated = await repeating.stream('reads_only', { ms: 10_000 })
  const cancelled = await repeating.stream('slow', { ms: 60_000 })
  await Promise.all([repeated.primed(), cancelled.primed()])
  const method = 'notifications/cancelled'
  const cancellation = { jsonrpc: '2.0', method, params: { requestId: 3 } }
  expect((await repeating.post(cancellation)).status).toBe(202)
  const batching = await open('2025-03-26')
  const batch = await streamOfBatch(batching)
  for (const { events } of interrupted) await events.message(5)

  await server.kill()
  const url = await server.startAgain()
  for (const session of [repeating, batching, ...interrupted.map((each) => each.session)]) {
    session.url = url
  }
  const follow = async (session: Session, events: EventReader) => {
    await events.rest()
    const resumed = await session.listen(events.lastId)
    return { all: [...events.messages, ...(await resumed.rest())], lastId: resumed.lastId }
  }
  for (const { session, events } of interrupted) {
    const { all, lastId } = await follow(session, events)
    expect(progressOf(all)).toEqual(upTo(all.length - 1))
    expect(all.at(-1)).toEqual(failed(1))
    // The stream has ended and does not start again.
    expect(await session.get(lastId)).toBe(405)
  }
  expect((await follow(repeating, repeated)).all).toMatchObject([
    { id: 2, result: { structuredContent: { value: 1 } } },
  ])
  expect(await repeating.get(cancelled.lastId)).toBe(405)
  const again = await (await repeating.listen(ended.ids[1])).rest()
  expect(again.map(brief)).toEqual(['progress 3', 'progress 4', 'progress 5', 'result 1 done'])

  const { all } = await follow(batching, batch)
  const progress = all.flatMap(({ params }) => params?.progress ?? [])
  expect(progress).toEqual(upTo(progress.length))
  const answers = all.filter(({ id }) => id !== undefined)
  expect(answers.map(({ id }) => id).sort()).toEqual([1, 2, 3])
  expect(answers).toEqual(expect.arrayContaining([failed(1), failed(2)]))
  expect(await batching.readCount('batched')).toBe(0)
})

describe('a kill in the first milliseconds of calls', () => {
  const SESSIONS = upTo(25)

  it.for([60, 140])(
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
        const echo = { name: 'echo', arguments: { text: 'on' } }
        expect(brief(await session.request('tools/call', echo))).toMatch(/^result \d+ on$/)
      }
    },
  )
})
