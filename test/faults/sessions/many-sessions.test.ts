/** Serves 100 sessions at once, each with a stream, a call and an ask, and delivers nothing to the wrong one. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type FixtureServer, startFixtureServer } from '../../support/node/fixture-server.ts'
import type { EventReader } from './event-reader.ts'
import { brief, type Message } from './message.ts'
import { openSession, type Session } from './session.ts'

const SESSIONS = Array.from({ length: 100 }, (_, index) => index)
const SHARED = 'probe://static/a'
/** The sessions whose own resource changes. */
const TOUCHED = SESSIONS.filter((index) => index % 10 === 0)

/** No step takes this long. On a busy machine, all sessions together may take minutes. */
const HANG_MS = 300_000

let server: FixtureServer

beforeAll(async () => {
  server = await startFixtureServer()
})

afterAll(() => server.stop())

const own = (index: number) => `probe://item/own-${index}`

interface Member {
  readonly session: Session
  readonly changes: EventReader
}

async function join(index: number): Promise<Member> {
  const session = await openSession(server.url)
  for (const uri of [SHARED, own(index)]) await session.request('resources/subscribe', { uri })
  const changes = await session.listen()
  await changes.primed()
  return { session, changes }
}

/**
 * The messages of a call up to its answer, over all its connections. A server that cannot open a reader
 * in time ends the connection, and a client resumes.
 */
async function* messagesOf(session: Session, first: EventReader) {
  for (let events = first; ; events = await session.listen(events.lastId)) {
    const hasMore = (index: number) => events.messages.length > index
    for (let index = 0; ; index++) {
      await events.until(() => hasMore(index) || events.ended, 'a message or the end', HANG_MS)
      const message = events.messages[index]
      if (message === undefined) break
      yield message
      if (message.result !== undefined) return
    }
  }
}

/** Makes a call that reports and a call that asks at the same time, and returns the messages of both. */
async function work({ session }: Member, index: number) {
  const reported: Message[] = []
  const asked: Message[] = []
  const report = async () => {
    const events = await session.stream('progress', { count: 3, gapMs: 50 })
    for await (const message of messagesOf(session, events)) reported.push(message)
  }
  const ask = async () => {
    const events = await session.stream('ask_count', { name: `many-${index}` })
    for await (const message of messagesOf(session, events)) {
      asked.push(message)
      if (message.method !== 'elicitation/create') continue
      expect(await session.answer(message, { ok: true })).toBe(202)
    }
  }
  await Promise.all([report(), ask()])
  return [reported, asked] as const
}

/** Publishes a change for all sessions, changes for some, and another for all. */
async function publishAll(): Promise<void> {
  const publisher = await openSession(server.url)
  for (const uri of [SHARED, ...TOUCHED.map(own)]) await publisher.call('touch_resource', { uri })
  await publisher.call('change_tools')
}

function tokens(messages: readonly Message[]): unknown[] {
  return messages.flatMap(({ params }) => params?.progressToken ?? [])
}

it(
  '100 concurrent sessions receive their own answers, asks and changes only',
  async () => {
    const members = await Promise.all(SESSIONS.map(join))
    const [streams] = await Promise.all([Promise.all(members.map(work)), publishAll()])

    for (const [index, [reported, asked]] of streams.entries()) {
      const [report, ask] = [reported.at(-1)?.id, asked.at(-1)?.id]
      expect(reported.map(brief)).toEqual([
        'progress 1',
        'progress 2',
        'progress 3',
        `result ${report} done`,
      ])
      expect(asked.map(brief)).toEqual([
        'progress 1',
        `ask Count many-${index}?`,
        'progress 3',
        `result ${ask} {"action":"accept","ok":true}`,
      ])
      expect(tokens(reported)).toEqual([report, report, report])
      expect(tokens(asked)).toEqual([ask, ask])
    }
    for (const [index, { changes }] of members.entries()) {
      const expected = TOUCHED.includes(index) ? [SHARED, own(index)] : [SHARED]
      await changes.until(() => changes.messages.length > expected.length, 'changes', HANG_MS)
      expect(changes.messages.map(brief)).toEqual([
        ...expected.map((uri) => `updated ${uri}`),
        'tools/list_changed',
      ])
    }
    const counts = await Promise.all(
      members.flatMap(({ session }, index) => [
        session.readCount(`many-${index}-first`),
        session.readCount(`many-${index}-second`),
      ]),
    )
    expect(counts).toEqual(counts.map(() => 1))
    // No session has received anything else meanwhile.
    expect(members.filter(({ changes }) => changes.ended || changes.messages.length > 3)).toEqual(
      [],
    )
    for (const { changes } of members) changes.close()
  },
  HANG_MS,
)
