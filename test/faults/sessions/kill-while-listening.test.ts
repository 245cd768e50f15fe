/**
 * Kills the process between two events of a GET stream. Every acknowledged change reaches the subscribed
 * sessions once, in order, and on one stream.
 */
import { describe, expect, it } from 'vitest'
import { brief } from './message.ts'
import { PersistentServer } from './persistent-server.ts'
import { openSession, type Session } from './session.ts'

const A = 'probe://static/a'
const item = (number: number) => `probe://item/${number}`
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

async function subscribe(session: Session, uri: string): Promise<void> {
  expect((await session.request('resources/subscribe', { uri })).error).toBeUndefined()
}

/** Resolves when the publication is acknowledged. */
async function publish(session: Session, name: string, args: object = {}): Promise<void> {
  const { result } = await session.request('tools/call', { name, arguments: args })
  expect(result?.content).toEqual([{ type: 'text', text: 'done' }])
}

const touch = (session: Session, uri: string) => publish(session, 'touch_resource', { uri })

it('a GET stream after a kill delivers the changes before its client reconnects once, under every revision', async ({
  onTestFinished,
}) => {
  const server = await PersistentServer.start(onTestFinished)
  const other = await openSession(server.url)
  const streams = await Promise.all(
    ['2025-11-25', '2025-06-18', '2025-03-26'].map(async (version) => {
      const session = await openSession(server.url, { version })
      await subscribe(session, A)
      await subscribe(session, item(1))
      expect((await session.request('resources/unsubscribe', { uri: item(1) })).result).toEqual({})
      return { session, events: await session.listen() }
    }),
  )
  await touch(other, A)
  for (const { events } of streams) expect(brief(await events.message(0))).toBe(`updated ${A}`)
  const url = await server.restart()
  for (const session of [other, ...streams.map((each) => each.session)]) session.url = url
  await touch(other, A)
  await touch(other, item(1))
  await publish(other, 'change_tools')
  const resumed = await Promise.all(
    streams.map(({ session, events }) => session.listen(events.lastId)),
  )
  for (const events of resumed) await events.message(1)
  // One more change: a repeated event would arrive before it.
  await publish(other, 'change_prompts')
  for (const events of resumed) {
    await events.message(2)
    expect(events.messages.map(brief)).toEqual([
      `updated ${A}`,
      'tools/list_changed',
      'prompts/list_changed',
    ])
  }
})

describe('a kill during many changes', () => {
  const LISTENERS = 6
  const CHANGES = upTo(60)

  it.for([1, 40])(
    'loses and repeats no acknowledged change (%i)',
    async (killAt, { onTestFinished }) => {
      const server = await PersistentServer.start(onTestFinished)
      const other = await openSession(server.url)
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
