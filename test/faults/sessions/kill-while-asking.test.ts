/**
 * The process killed while a person is asked, between two answers, and just after one was taken. The
 * questions stand, the answers that were acknowledged count, and no step is done twice.
 */
import { describe, expect, it } from 'vitest'
import { PATIENT } from './bounded.ts'
import type { EventReader } from './event-reader.ts'
import { KeptServer } from './kept-server.ts'
import { brief, INTERRUPTED, type Message } from './message.ts'
import { moment } from './moment.ts'
import { openSession, type Session } from './session.ts'

type AtEnd = Parameters<typeof KeptServer.start>[0]

async function begin(atEnd: AtEnd, version?: string) {
  const server = await KeptServer.start(atEnd)
  return { server, session: await openSession(server.url, version ? { version } : {}) }
}

/** What a question asked for, by its message. */
const CONTENT: Readonly<Record<string, object>> = {
  'What is your name?': { name: 'Ada' },
  'Which color do you like, Ada?': { color: 'green' },
  'What is on the left?': { left: 'door' },
  'What is on the right?': { right: 'window' },
}

const contentFor = ({ params }: Message) => CONTENT[params?.message ?? ''] ?? { ok: true }

async function stepsOf(session: Session, name: string): Promise<readonly [number, number]> {
  return Promise.all([session.readCount(`${name}-first`), session.readCount(`${name}-second`)])
}

/** Everything that came on a stream, over all its connections. */
class Followed {
  readonly #session: Session
  readonly #all: Message[] = []
  #events: EventReader

  constructor(session: Session, events: EventReader) {
    this.#session = session
    this.#events = events
  }

  static async call(session: Session, name: string, args: object = {}): Promise<Followed> {
    return new Followed(session, await session.stream(name, args))
  }

  get said(): string[] {
    return [...this.#all, ...this.#events.messages].map(brief)
  }

  /** The message of a number, over all connections. */
  async message(index: number): Promise<Message> {
    return this.#all[index] ?? this.#events.message(index - this.#all.length)
  }

  /** Whether a connection that was lost had brought anything to come back with. */
  async canComeBack(): Promise<boolean> {
    await this.#events.rest()
    return this.#events.lastId !== ''
  }

  /** After the connection was lost: from the last event on. */
  async comeBack(): Promise<void> {
    await this.#events.rest()
    this.#all.push(...this.#events.messages)
    this.#events = await this.#session.listen(this.#events.lastId)
  }

  async end(): Promise<string[]> {
    await this.#events.rest()
    return this.said
  }
}

describe.concurrent('a question that stood when the process was killed', () => {
  it.for(['2025-11-25', '2025-06-18', '2025-03-26'])(
    'is answered afterwards, its steps done once (%s)',
    async (version, { onTestFinished }) => {
      const { server, session } = await begin(onTestFinished, version)
      const call = await Followed.call(session, 'ask_count', { name: 'pending' })
      const ask = await call.message(1)
      session.url = await server.restart()
      await call.comeBack()
      expect(await session.answer(ask, { ok: true })).toBe(202)
      expect(await call.end()).toEqual([
        'progress 1',
        'ask Count pending?',
        'progress 3',
        'result 1 {"action":"accept","ok":true}',
      ])
      expect(await stepsOf(session, 'pending')).toEqual([1, 1])
    },
  )

  it('is sent to a client that had not had it', async ({ onTestFinished }) => {
    const { server, session } = await begin(onTestFinished)
    const events = await session.stream('ask_count', { name: 'unseen' })
    await events.message(1)
    session.url = await server.restart()
    const resumed = await session.listen(events.ids[0])
    const ask = await resumed.message(0)
    expect(brief(ask)).toBe('ask Count unseen?')
    expect(ask.id).toBe(events.messages[1]?.id)
    expect(await session.answer(ask, { ok: false })).toBe(202)
    expect((await resumed.rest()).slice(1).map(brief)).toEqual([
      'progress 3',
      'result 1 {"action":"accept","ok":false}',
    ])
    expect(await stepsOf(session, 'unseen')).toEqual([1, 1])
  })

  it('is answered before anybody has come back to the stream', async ({
    expect,
    onTestFinished,
  }) => {
    const { server, session } = await begin(onTestFinished)
    const call = await Followed.call(session, 'ask_count', { name: 'unread' })
    const ask = await call.message(1)
    session.url = await server.restart()
    expect(await session.answer(ask, { ok: true })).toBe(202)
    await expect.poll(() => session.readCount('unread-second'), PATIENT).toBe(1)
    await call.comeBack()
    expect((await call.end()).slice(2)).toEqual([
      'progress 3',
      'result 1 {"action":"accept","ok":true}',
    ])
    expect(await stepsOf(session, 'unread')).toEqual([1, 1])
  })

  it('stands where its call had said nothing before it', async ({ onTestFinished }) => {
    const { server, session } = await begin(onTestFinished)
    // Without a progress token the first thing that is sent, and so kept, is the question.
    const params = { name: 'ask_count', arguments: { name: 'silent' } }
    const { events } = await session.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    if (events === undefined) throw new Error('No stream')
    const call = new Followed(session, events)
    const ask = await call.message(0)
    session.url = await server.restart()
    await call.comeBack()
    expect(await session.answer(ask, { ok: true })).toBe(202)
    expect(await call.end()).toEqual([
      'ask Count silent?',
      'result 1 {"action":"accept","ok":true}',
    ])
    expect(await stepsOf(session, 'silent')).toEqual([1, 1])
  })

  it('outlives five kills', async ({ onTestFinished }) => {
    const { server, session } = await begin(onTestFinished)
    const call = await Followed.call(session, 'ask_count', { name: 'five' })
    const ask = await call.message(1)
    for (const _ of [1, 2, 3, 4, 5]) {
      session.url = await server.restart()
      await call.comeBack()
    }
    expect(await session.answer(ask, { ok: true })).toBe(202)
    expect(await call.end()).toHaveLength(4)
    expect(await stepsOf(session, 'five')).toEqual([1, 1])
  })

  it('ends with a word when nobody answers in time', async ({ onTestFinished }) => {
    const server = await KeptServer.start(onTestFinished, { short: true })
    const session = await openSession(server.url)
    const call = await Followed.call(session, 'ask_count', { name: 'late' })
    const ask = await call.message(1)
    session.url = await server.restart()
    await call.comeBack()
    expect(await call.end()).toEqual([
      'progress 1',
      'ask Count late?',
      'cancelled',
      'failed 1 The question was not answered in time. The call may be repeated.',
    ])
    // Too late is taken politely, and changes nothing.
    expect(await session.answer(ask, { ok: true })).toBe(202)
    expect(await stepsOf(session, 'late')).toEqual([1, 0])
  })

  it('and the one that follows from its answer', async ({ onTestFinished }) => {
    const { server, session } = await begin(onTestFinished)
    const call = await Followed.call(session, 'ask_two')
    for (const index of [0, 1]) {
      const ask = await call.message(index)
      session.url = await server.restart()
      await call.comeBack()
      expect(await session.answer(ask, contentFor(ask))).toBe(202)
    }
    expect(await call.end()).toEqual([
      'ask What is your name?',
      'ask Which color do you like, Ada?',
      'result 1 Ada likes green',
    ])
  })
})

describe.concurrent('two questions at once', () => {
  it.for([
    ['before any answer, left first', [0, 1], [0]],
    ['before any answer, right first', [1, 0], [0]],
    ['between the answers, left first', [0, 1], [1]],
    ['between the answers, right first', [1, 0], [1]],
    ['before and between', [1, 0], [0, 1]],
  ] as const)('are both answered: killed %s', async ([, order, kills], { onTestFinished }) => {
    const { server, session } = await begin(onTestFinished)
    const call = await Followed.call(session, 'ask_together')
    const asks = [await call.message(0), await call.message(1)]
    for (const [round, index] of order.entries()) {
      if (kills.some((kill) => kill === round)) {
        session.url = await server.restart()
        await call.comeBack()
      }
      const ask = asks[index]
      if (ask === undefined) throw new Error('No question')
      expect(await session.answer(ask, contentFor(ask))).toBe(202)
    }
    expect(await call.end()).toEqual([
      'ask What is on the left?',
      'ask What is on the right?',
      'result 1 door window',
    ])
  })

  it('take no second answer to the first after a kill', async ({ onTestFinished }) => {
    const { server, session } = await begin(onTestFinished)
    const call = await Followed.call(session, 'ask_together')
    const [left, right] = [await call.message(0), await call.message(1)]
    expect(await session.answer(left, { left: 'door' })).toBe(202)
    session.url = await server.restart()
    await call.comeBack()
    // Late and duplicate answers are taken politely, and change nothing.
    expect(await session.answer(left, { left: 'wall' })).toBe(202)
    expect(await session.answer(right, { right: 'window' })).toBe(202)
    expect((await call.end()).at(-1)).toBe('result 1 door window')
  })
})

/** Does what a client does: reads on, and answers what it is asked, until there is an end. */
async function converse(session: Session, call: Followed, acknowledged: Set<unknown>) {
  for (let index = 0; ; index++) {
    const message = await call.message(index)
    if (message.method === undefined) return
    if (message.method !== 'elicitation/create' || acknowledged.has(message.id)) continue
    expect(await session.answer(message, { ok: true })).toBe(202)
    acknowledged.add(message.id)
  }
}

describe('a kill at any moment', () => {
  const FAILED = `failed 1 ${INTERRUPTED.slice(0, 60)}`
  const ANSWERED = 'result 1 {"action":"accept","ok":true}'
  const SESSIONS = Array.from({ length: 20 }, (_, index) => index)

  /** What may have come of a call in the end: an answer, or a word after any part of its way. */
  function expectWhole(said: readonly string[], name: string): void {
    const way = ['progress 1', `ask Count ${name}?`, 'progress 3']
    const ends = way.map((_, index) => [...way.slice(0, index + 1), FAILED])
    expect([[...way, ANSWERED], [FAILED], ...ends]).toContainEqual(said)
  }

  it.for([120, 180, 240])(
    'ends in an answer or in a word, no step done twice (%i ms)',
    async (killAfter, { onTestFinished }) => {
      const server = await KeptServer.start(onTestFinished)
      const sessions = await Promise.all(SESSIONS.map(() => openSession(server.url)))
      const conversations = sessions.map(async (session, index) => {
        await moment(index * 5)
        const acknowledged = new Set()
        // A call whose head never came was never acknowledged.
        const call = await Followed.call(session, 'ask_count', { name: `any-${index}` }).catch(
          () => undefined,
        )
        if (call === undefined) return undefined
        await converse(session, call, acknowledged).catch(() => undefined)
        return { call, acknowledged }
      })
      await moment(killAfter)
      await server.kill()
      const url = await server.startAgain()
      for (const [index, session] of sessions.entries()) {
        session.url = url
        const name = `any-${index}`
        const begun = await conversations[index]
        const steps = () => stepsOf(session, name)
        if (begun === undefined || !(await begun.call.canComeBack())) {
          expect((await steps())[1]).toBe(0)
          continue
        }
        await begun.call.comeBack()
        await converse(session, begun.call, begun.acknowledged)
        const said = await begun.call.end()
        expectWhole(said, name)
        const [first, second] = await steps()
        if (said.at(-1) === ANSWERED) expect([first, second]).toEqual([1, 1])
        else expect(Math.max(first, second)).toBeLessThanOrEqual(1)
      }
    },
  )
})
