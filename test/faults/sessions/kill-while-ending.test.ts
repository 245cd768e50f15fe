/**
 * The process killed while sessions are being ended. Each is then either what it was, in every part,
 * or gone, in every part; one whose end was acknowledged is gone.
 */
import { expect, it } from 'vitest'
import type { EventReader } from './event-reader.ts'
import { KeptServer } from './kept-server.ts'
import { brief, INTERRUPTED, type Message } from './message.ts'
import { moment } from './moment.ts'
import { openSession, type Session } from './session.ts'

const SESSIONS = Array.from({ length: 20 }, (_, index) => index)
const A = 'probe://static/a'

/** A session with something of every kind that is kept. */
interface Furnished {
  readonly session: Session
  readonly ended: EventReader
  readonly asking: EventReader
  readonly ask: Message
  readonly standalone: EventReader
  readonly running: EventReader
}

async function furnish(url: string): Promise<Furnished> {
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

/** What answers there are, to one thing of every kind. */
async function statusesOf({ session, ended, asking, ask, standalone, running }: Furnished) {
  const statusOf = (events: EventReader | number) => {
    if (typeof events === 'number') return events
    events.leave()
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

const GONE = [404, 404, 404, 404, 404, 404, 404, 404]

async function expectWhole(
  { session, ended, asking, ask, standalone, running }: Furnished,
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
  if (question === undefined) throw new Error('No question')
  expect(await session.answer(ask, { left: 'door' })).toBe(202)
  expect(await session.answer(question, { right: 'window' })).toBe(202)
  const answered = await (await session.listen(asking.lastId)).rest()
  expect(answered.map(brief)).toEqual(['result 4 door window'])

  await running.rest()
  const cutOff = [...running.messages, ...(await (await session.listen(running.lastId)).rest())]
  expect(cutOff.map(({ params }) => params?.progress)).toEqual([
    ...cutOff.slice(1).map((_, index) => index + 1),
    undefined,
  ])
  expect(cutOff.at(-1)?.result?.content?.[0]?.text).toBe(INTERRUPTED)

  const news = await session.listen(standalone.lastId)
  await other.call('touch_resource', { uri: A })
  expect(brief(await news.message(0))).toBe(`updated ${A}`)
  expect(await session.end()).toBe(204)
}

it.for([10, 20, 30])(
  'leaves no session half ended (%i ms)',
  async (killAfter, { onTestFinished }) => {
    const server = await KeptServer.start(onTestFinished)
    const furnished = await Promise.all(SESSIONS.map(() => furnish(server.url)))
    const ends = furnished.map(async ({ session }, index) => {
      await moment(index)
      // One that is not acknowledged may have been done or not.
      return session.end().catch(() => undefined)
    })
    await moment(killAfter)
    await server.kill()
    const statuses = await Promise.all(ends)
    const url = await server.startAgain()
    const other = await openSession(url)
    const fates = await Promise.all(
      furnished.map(async (one, index) => {
        one.session.url = url
        const { status } = await one.session.post({
          jsonrpc: '2.0',
          method: 'notifications/initialized',
        })
        if (status === 202) await expectWhole(one, other)
        expect(await statusesOf(one)).toEqual(GONE)
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

it('keeps a session ended over further kills', async ({ onTestFinished }) => {
  const server = await KeptServer.start(onTestFinished)
  const furnished = await furnish(server.url)
  expect(await furnished.session.end()).toBe(204)
  for (const _ of [1, 2, 3]) {
    furnished.session.url = await server.restart()
    expect(await statusesOf(furnished)).toEqual(GONE)
  }
})
