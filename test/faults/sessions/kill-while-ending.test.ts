/**
 * Kills the process while sessions are terminated. Each session is then either complete or gone, in all
 * of its parts; a session whose termination was acknowledged is gone.
 */
import { expect, it } from 'vitest'
import { delay } from './delay.ts'
import type { EventReader } from './event-reader.ts'
import { brief, INTERRUPTED, type Message } from './message.ts'
import { PersistentServer } from './persistent-server.ts'
import { openSession, type Session } from './session.ts'

const SESSIONS = Array.from({ length: 20 }, (_, index) => index)
const A = 'probe://static/a'

/** A session with rows of every kind. */
interface FullSession {
  readonly session: Session
  readonly ended: EventReader
  readonly asking: EventReader
  readonly ask: Message
  readonly standalone: EventReader
  readonly running: EventReader
}

async function openFullSession(url: string): Promise<FullSession> {
  const session = await openSession(url)
  await session.request('resources/subscribe', { uri: A })
  await session.request('logging/setLevel', { level: 'error' })
  const ended = await session.stream('progress', { count: 2, gapMs: 1 })
  await ended.rest()
  const asking = await session.stream('ask_together')
  const ask = await asking.message(0)
  await asking.message(1)
  const standalone = await session.listen()
  await standalone.primed()
  const running = await session.stream('progress', { count: 1000, gapMs: 20 })
  await running.message(0)
  return { session, ended, asking, ask, standalone, running }
}

/** The statuses of one request of every kind. */
async function statusesOf({ session, ended, asking, ask, standalone, running }: FullSession) {
  const statusOf = (events: EventReader | number) => {
    if (typeof events === 'number') return events
    events.close()
    return 200
  }
  return [
    (await session.post({ jsonrpc: '2.0', id: session.nextId(), method: 'ping' })).status,
    (await session.post({ jsonrpc: '2.0', method: 'notifications/initialized' })).status,
    await session.answer(ask, { left: 'door' }),
    statusOf(await session.get()),
    statusOf(await session.get(ended.ids[0])),
    statusOf(await session.get(asking.lastId)),
    statusOf(await session.get(standalone.lastId)),
    statusOf(await session.get(running.lastId)),
  ]
}

const ALL_GONE = [404, 404, 404, 404, 404, 404, 404, 404]

async function expectComplete(
  { session, ended, asking, ask, standalone, running }: FullSession,
  other: Session,
) {
  expect((await session.request('ping')).result).toEqual({})
  const again = await (await session.listen(ended.ids[0])).rest()
  expect(again.map(brief)).toEqual(['progress 2', 'result 3 done'])
  const log = await session.stream('log', { level: 'error', message: 'still' })
  expect((await log.rest()).length).toBe(2)
  const quiet = await session.call('log', { level: 'warning', message: 'too low' })
  expect(quiet.events).toBeUndefined()

  const question = asking.messages[1]
  if (question === undefined) throw new Error('No ask')
  expect(await session.answer(ask, { left: 'door' })).toBe(202)
  expect(await session.answer(question, { right: 'window' })).toBe(202)
  const answered = await (await session.listen(asking.lastId)).rest()
  expect(answered.map(brief)).toEqual(['result 4 door window'])

  await running.rest()
  const interrupted = [
    ...running.messages,
    ...(await (await session.listen(running.lastId)).rest()),
  ]
  expect(interrupted.map(({ params }) => params?.progress)).toEqual([
    ...interrupted.slice(1).map((_, index) => index + 1),
    undefined,
  ])
  expect(interrupted.at(-1)?.result?.content?.[0]?.text).toBe(INTERRUPTED)

  const changes = await session.listen(standalone.lastId)
  await other.call('touch_resource', { uri: A })
  expect(brief(await changes.message(0))).toBe(`updated ${A}`)
  expect(await session.end()).toBe(204)
}

it.for([10, 25])(
  'a kill during terminations leaves no session partly terminated (%i ms)',
  async (killAfter, { onTestFinished }) => {
    const server = await PersistentServer.start(onTestFinished)
    const sessions = await Promise.all(SESSIONS.map(() => openFullSession(server.url)))
    const ends = sessions.map(async ({ session }, index) => {
      await delay(index)
      // A termination without an acknowledgement may have happened or not.
      return session.end().catch(() => undefined)
    })
    await delay(killAfter)
    await server.kill()
    const statuses = await Promise.all(ends)
    const url = await server.startAgain()
    const other = await openSession(url)
    const fates = await Promise.all(
      sessions.map(async (one, index) => {
        one.session.url = url
        const { status } = await one.session.post({
          jsonrpc: '2.0',
          method: 'notifications/initialized',
        })
        if (status === 202) await expectComplete(one, other)
        expect(await statusesOf(one)).toEqual(ALL_GONE)
        expect(await one.session.end()).toBe(404)
        return [statuses[index], status]
      }),
    )
    for (const [acknowledged, then] of fates) {
      if (acknowledged === 204) expect(then).toBe(404)
      else expect([acknowledged, then]).toEqual([undefined, expect.toBeOneOf([202, 404])])
    }
  },
)
