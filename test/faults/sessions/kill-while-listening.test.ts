/**
 * Kills the process between two events of a GET stream. Every acknowledged change reaches the subscribed
 * sessions once, in order, and on one stream.
 */
import { describe, expect, it } from 'vitest'
import { POLL } from './bounded.ts'
import { brief } from './message.ts'
import { PersistentServer } from './persistent-server.ts'
import { openSession, type Session } from './session.ts'

const A = 'probe://static/a'
const item = (number: number) => `probe://item/${number}`
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

type AtEnd = Parameters<typeof PersistentServer.start>[0]

async function begin(atEnd: AtEnd, version?: string) {
  const server = await PersistentServer.start(atEnd)
  const options = version ? { version } : {}
  const [session, other] = [
    await openSession(server.url, options),
    await openSession(server.url, options),
  ]
  const restart = async () => {
    await server.kill()
    session.url = other.url = await server.startAgain()
  }
  return { server, session, other, restart }
}

async function subscribe(session: Session, uri: string): Promise<void> {
  expect((await session.request('resources/subscribe', { uri })).error).toBeUndefined()
}

/** Resolves when the publication is acknowledged. */
async function publish(session: Session, name: string, args: object = {}): Promise<void> {
  const { result } = await session.request('tools/call', { name, arguments: args })
  expect(result?.content).toEqual([{ type: 'text', text: 'done' }])
}

const touch = (session: Session, uri: string) => publish(session, 'touch_resource', { uri })

describe.concurrent('a GET stream after a kill', () => {
  it.for(['2025-11-25', '2025-06-18', '2025-03-26'])(
    'delivers the changes before its client reconnects once (%s)',
    async (version, { onTestFinished }) => {
      const { session, other, restart } = await begin(onTestFinished, version)
      await subscribe(session, A)
      const events = await session.listen()
      await touch(other, A)
      expect(brief(await events.message(0))).toBe(`updated ${A}`)
      await restart()
      await touch(other, A)
      await publish(other, 'change_tools')
      const resumed = await session.listen(events.lastId)
      await resumed.message(1)
      // One more change: a repeated event would arrive before it.
      await publish(other, 'change_prompts')
      await resumed.message(2)
      expect(resumed.messages.map(brief)).toEqual([
        `updated ${A}`,
        'tools/list_changed',
        'prompts/list_changed',
      ])
      expect(events.messages).toHaveLength(1)
    },
  )

  it('delivers list changes to a client without subscriptions', async ({ onTestFinished }) => {
    const { session, other, restart } = await begin(onTestFinished)
    const events = await session.listen()
    await events.primed()
    await restart()
    for (const list of ['tools', 'prompts', 'resources']) await publish(other, `change_${list}`)
    const resumed = await session.listen(events.lastId)
    await resumed.message(2)
    await publish(other, 'change_tools')
    await resumed.message(3)
    expect(resumed.messages.map(brief)).toEqual([
      'tools/list_changed',
      'prompts/list_changed',
      'resources/list_changed',
      'tools/list_changed',
    ])
  })

  it('delivers changes that were acknowledged and not yet sent', async ({ onTestFinished }) => {
    const { session, other, restart } = await begin(onTestFinished)
    const rounds = upTo(8)
    for (const round of rounds) await subscribe(session, item(round))
    const received: string[] = []
    let events = await session.listen()
    await events.primed()
    for (const round of rounds) {
      await touch(other, item(round))
      await restart()
      await events.rest()
      received.push(...events.messages.map(brief))
      events = await session.listen(events.lastId)
    }
    await publish(other, 'change_tools')
    await events.until(
      () => events.messages.map(brief).includes('tools/list_changed'),
      'the last change',
    )
    expect([...received, ...events.messages.map(brief)]).toEqual([
      ...rounds.map((round) => `updated ${item(round)}`),
      'tools/list_changed',
    ])
  })

  it('is replaced by a new stream when the client does not resume', async ({ onTestFinished }) => {
    const { session, other, restart } = await begin(onTestFinished)
    await subscribe(session, A)
    const events = await session.listen()
    await touch(other, A)
    await events.message(0)
    await restart()
    await touch(other, A)
    const fresh = await session.listen()
    await fresh.message(0)
    await publish(other, 'change_tools')
    await fresh.message(1)
    expect(fresh.messages.map(brief)).toEqual([`updated ${A}`, 'tools/list_changed'])
  })

  it('delivers changes of subscriptions that are older than the first stream', async ({
    onTestFinished,
  }) => {
    const { session, other, restart } = await begin(onTestFinished)
    await subscribe(session, A)
    await touch(other, A)
    await restart()
    await touch(other, A)
    const events = await session.listen()
    await events.message(1)
    await publish(other, 'change_tools')
    await events.message(2)
    expect(events.messages.map(brief)).toEqual([
      `updated ${A}`,
      `updated ${A}`,
      'tools/list_changed',
    ])
  })

  it('delivers no change of a removed subscription', async ({ onTestFinished }) => {
    const { session, other, restart } = await begin(onTestFinished)
    await subscribe(session, A)
    const events = await session.listen()
    await events.primed()
    await session.request('resources/unsubscribe', { uri: A })
    await restart()
    await touch(other, A)
    const resumed = await session.listen(events.lastId)
    await publish(other, 'change_tools')
    await resumed.message(0)
    expect(resumed.messages.map(brief)).toEqual(['tools/list_changed'])
  })

  it('delivers each change on one of two streams', async ({ expect, onTestFinished }) => {
    const { session, other, restart } = await begin(onTestFinished)
    for (const number of upTo(6)) await subscribe(session, item(number))
    const older = await session.listen()
    await older.primed()
    const newer = await session.listen()
    await newer.primed()
    await touch(other, item(1))
    await newer.message(0)
    await restart()
    await touch(other, item(2))
    const olderAgain = await session.listen(older.lastId)
    await touch(other, item(3))
    await olderAgain.message(1)
    const newerAgain = await session.listen(newer.lastId)
    await touch(other, item(4))
    await newerAgain.message(0)
    newerAgain.close()
    await touch(other, item(5))
    await touch(other, item(6))
    const all = () => [older, newer, olderAgain, newerAgain].flatMap(({ messages }) => messages)
    // Changes in the log of the closed stream are replayed when it is resumed.
    const last = await session.listen(newerAgain.lastId)
    await expect
      .poll(() => [...all(), ...last.messages].map(brief).sort(), POLL)
      .toEqual(upTo(6).map((number) => `updated ${item(number)}`))
  })
})

describe('a kill during many changes', () => {
  const LISTENERS = 6
  const CHANGES = upTo(60)

  it.for([1, 10, 40])(
    'loses and repeats no acknowledged change (%i)',
    async (killAt, { onTestFinished }) => {
      const { server, other } = await begin(onTestFinished)
      const sessions = await Promise.all(upTo(LISTENERS).map(() => openSession(server.url)))
      const streams = await Promise.all(
        sessions.map(async (session) => {
          for (const number of CHANGES) await subscribe(session, item(number))
          const events = await session.listen()
          await events.primed()
          return { session, events }
        }),
      )
      let underWay = 0
      let acknowledged = 0
      const publishing = (async () => {
        for (const number of CHANGES) {
          underWay = number
          await touch(other, item(number))
          acknowledged = number
          // The kill hits the next publication at some point.
          if (number === killAt) process.kill(server.pid, 'SIGKILL')
        }
      })()
      await expect(publishing).rejects.toThrow()
      const url = await server.startAgain()
      for (const session of [...sessions, other]) session.url = url
      expect(acknowledged).toBeGreaterThanOrEqual(killAt)
      // One change while no client is connected, two after that.
      const later = [underWay + 1, underWay + 2, underWay + 3]
      await touch(other, item(underWay + 1))
      const resumed = await Promise.all(
        streams.map(async ({ session, events }) => {
          await events.rest()
          return { earlier: events.messages, events: await session.listen(events.lastId) }
        }),
      )
      await touch(other, item(underWay + 2))
      await touch(other, item(underWay + 3))
      const acknowledgedTexts = [...upTo(acknowledged), ...later].map((n) => `updated ${item(n)}`)
      for (const { earlier, events } of resumed) {
        const all = () => [...earlier, ...events.messages].map(brief)
        await events.until(() => all().includes(acknowledgedTexts.at(-1) ?? ''), 'the last change')
        // The change that was under way may have been stored without an acknowledgement.
        const unacknowledged = all().filter((text) => !acknowledgedTexts.includes(text))
        expect([[], [`updated ${item(underWay)}`]]).toContainEqual(unacknowledged)
        expect(all().filter((text) => acknowledgedTexts.includes(text))).toEqual(acknowledgedTexts)
      }
    },
  )
})
