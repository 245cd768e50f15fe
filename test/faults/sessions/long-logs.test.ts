/**
 * Logs beyond their limits. A connected reader receives every event; a client that resumes from a pruned
 * event is refused with 410. Asks and answers are never pruned.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DEFAULT_SESSION_LIMITS } from '../../../src/ports/session-limits.ts'
import { type FixtureServer, startFixtureServer } from '../../support/node/fixture-server.ts'
import type { EventReader } from './event-reader.ts'
import { brief, INTERRUPTED, type Message } from './message.ts'
import { PersistentServer } from './persistent-server.ts'
import { openSession, type Session, toolCall } from './session.ts'

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

let server: FixtureServer

beforeAll(async () => {
  server = await startFixtureServer()
  expect(DEFAULT_SESSION_LIMITS).toMatchObject({ logEvents: 1000, logBytes: 1_048_576 })
})

afterAll(() => server.stop())

/** Sends several calls as a batch, whose answers share one stream. */
async function streamOfBatch(session: Session, calls: readonly object[]): Promise<EventReader> {
  const { events, status } = await session.post(calls)
  if (events === undefined) throw new Error(`No stream: ${status}`)
  return events
}

const openBatching = (url = server.url) => openSession(url, { version: '2025-03-26' })

const progress = (id: number, gapMs: number) => toolCall('progress', { count: 1000, gapMs }, id)

/** The summaries of all messages of several `progress` calls. */
const progressOf = (calls: number) =>
  upTo(calls).flatMap((id) => [...upTo(1000).map((n) => `progress ${n}`), `result ${id} done`])

const summariesOf = (messages: readonly Message[]) => messages.map(brief)

describe.concurrent('a log beyond its limits', () => {
  it('delivers all events to a connected reader, and refuses to replay the oldest', async () => {
    const session = await openBatching()
    const events = await streamOfBatch(session, [progress(1, 2), progress(2, 0)])
    expect(summariesOf(await events.rest(60_000))).toEqual(progressOf(2))
    expect(await session.get(events.ids[0])).toBe(410)
    expect(await session.get(events.ids[500])).toBe(410)
    const resumed = await session.listen(events.ids[1500])
    expect(summariesOf(await resumed.rest())).toEqual(progressOf(2).slice(1501))
    const last = await session.listen(events.ids.at(-2))
    expect(summariesOf(await last.rest())).toEqual(['result 2 done'])
    expect((await session.request('ping')).result).toEqual({})
  })

  it('delivers all events when they exceed the size limit at once', async () => {
    const session = await openBatching()
    const message = '.'.repeat(60_000)
    const calls = upTo(40).map((id) => toolCall('log', { level: 'error', message }, id))
    const events = await streamOfBatch(session, calls)
    expect(summariesOf(await events.rest())).toEqual(
      upTo(40).flatMap((id) => [`log ${'.'.repeat(20)}`, `result ${id} done`]),
    )
  })

  it('keeps an ask open', async () => {
    const session = await openBatching()
    const events = await streamOfBatch(session, [
      toolCall('ask_two', {}, 1),
      progress(2, 1),
      progress(3, 0),
    ])
    const ask = await events.message(0)
    await events.until(
      () => events.messages.some(({ id, result }) => id === 3 && result !== undefined),
      'the answer to what came after the question',
      60_000,
    )
    expect(await session.get(events.ids[0])).toBe(410)
    // The next question may come before the response to the answer.
    const asked = events.messages.length
    expect(await session.answer(ask, { name: 'Ada' })).toBe(202)
    expect(await session.answer(await events.message(asked), { color: 'green' })).toBe(202)
    expect((await events.rest()).at(-1)?.result?.content?.[0]?.text).toBe('Ada likes green')
  })

  it('is deleted first when it is the oldest of a session beyond its total limit', async () => {
    expect(DEFAULT_SESSION_LIMITS.totalLogBytes).toBe(33_554_432)
    const session = await openSession(server.url, { accept: 'text/event-stream' })
    const streams: EventReader[] = []
    const ids: string[] = []
    for (const _ of upTo(5)) {
      const events = await session.stream('big', { bytes: 8_388_608 })
      await events.primed()
      ids.push(events.lastId)
      await events.rest()
      streams.push(events)
    }
    const again = await Promise.all(ids.map((id) => session.get(id)))
    const outcomes = again.map(async (events) =>
      typeof events === 'number' ? events : (await events.rest()).length,
    )
    expect(await Promise.all(outcomes)).toEqual([410, 410, 1, 1, 1])
  })
})

it('a log keeps its pruned position and its numbers over a kill', async ({ onTestFinished }) => {
  const persistent = await PersistentServer.start(onTestFinished)
  const session = await openBatching(persistent.url)
  const events = await streamOfBatch(session, [progress(1, 1), progress(2, 1), progress(3, 5)])
  await events.message(2100)
  await persistent.kill()
  await events.rest()
  session.url = await persistent.startAgain()
  expect(await session.get(events.ids[0])).toBe(410)
  const resumed = await session.listen(events.lastId)
  const all = [...events.messages, ...(await resumed.rest())]
  const sent = all.filter(({ params }) => params?.progress !== undefined)
  expect(summariesOf(sent)).toEqual(
    progressOf(3)
      .filter((text) => !text.startsWith('result'))
      .slice(0, sent.length),
  )
  expect(all.slice(sent.length + 2 - all.length).map(brief)).toEqual([
    `failed 3 ${INTERRUPTED.slice(0, 60)}`,
  ])
  expect(new Set([...events.ids, ...resumed.ids]).size).toBe(all.length)
})
