/**
 * Kills the process while a call waits for responses, between two of them, and just after one was
 * acknowledged. Asks stay open, acknowledged responses count, and no step runs twice.
 */
import { describe, expect, it } from 'vitest'
import { POLL } from './bounded.ts'
import { delay } from './delay.ts'
import type { EventReader } from './event-reader.ts'
import { brief, INTERRUPTED, type Message } from './message.ts'
import { PersistentServer } from './persistent-server.ts'
import { openSession, type Session } from './session.ts'

type AtEnd = Parameters<typeof PersistentServer.start>[0]

async function begin(atEnd: AtEnd, version?: string) {
  const server = await PersistentServer.start(atEnd)
  return { server, session: await openSession(server.url, version ? { version } : {}) }
}

/** The content that each ask requests, by its message. */
const CONTENT: Readonly<Record<string, object>> = {
  'What is your name?': { name: 'Ada' },
  'Which color do you like, Ada?': { color: 'green' },
  'What is on the left?': { left: 'door' },
  'What is on the right?': { right: 'window' },
}

const EXPIRED = 'The question was not answered in time. The call may be repeated.'

const contentFor = ({ params }: Message) => CONTENT[params?.message ?? ''] ?? { ok: true }

async function stepsOf(session: Session, name: string): Promise<readonly [number, number]> {
  return Promise.all([session.readCount(`${name}-first`), session.readCount(`${name}-second`)])
}

/** One call over all connections of its stream. */
class ReconnectingCall {
  readonly #session: Session
  readonly #all: Message[] = []
  #events: EventReader

  constructor(session: Session, events: EventReader) {
    this.#session = session
    this.#events = events
  }

  static async call(session: Session, name: string, args: object = {}): Promise<ReconnectingCall> {
    return new ReconnectingCall(session, await session.stream(name, args))
  }

  get summaries(): string[] {
    return [...this.#all, ...this.#events.messages].map(brief)
  }

  /** Resolves with the message of an index, over all connections. */
  async message(index: number): Promise<Message> {
    return this.#all[index] ?? this.#events.message(index - this.#all.length)
  }

  /** Whether the lost connection had received an event id. */
  async canReconnect(): Promise<boolean> {
    await this.#events.rest()
    return this.#events.lastId !== ''
  }

  /** Opens the stream from the last event on, after the connection was lost. */
  async reconnect(): Promise<void> {
    await this.#events.rest()
    this.#all.push(...this.#events.messages)
    this.#events = await this.#session.listen(this.#events.lastId)
  }

  async end(): Promise<string[]> {
    await this.#events.rest()
    return this.summaries
  }
}

describe.concurrent('an ask that was open when the process was killed', () => {
  it.for(['2025-11-25', '2025-06-18', '2025-03-26'])(
    'is answered afterwards, its steps done once (%s)',
    async (version, { onTestFinished }) => {
      const { server, session } = await begin(onTestFinished, version)
      const call = await ReconnectingCall.call(session, 'ask_count', { name: 'pending' })
      const ask = await call.message(1)
      session.url = await server.restart()
      await call.reconnect()
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

  it('is sent to a client that had not received it', async ({ onTestFinished }) => {
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

  it('accepts a response before the client resumes the stream', async ({
    expect,
    onTestFinished,
  }) => {
    const { server, session } = await begin(onTestFinished)
    const call = await ReconnectingCall.call(session, 'ask_count', { name: 'unread' })
    const ask = await call.message(1)
    session.url = await server.restart()
    expect(await session.answer(ask, { ok: true })).toBe(202)
    await expect.poll(() => session.readCount('unread-second'), POLL).toBe(1)
    await call.reconnect()
    expect((await call.end()).slice(2)).toEqual([
      'progress 3',
      'result 1 {"action":"accept","ok":true}',
    ])
    expect(await stepsOf(session, 'unread')).toEqual([1, 1])
  })

  it('stays open when it was the first message of its call', async ({ onTestFinished }) => {
    const { server, session } = await begin(onTestFinished)
    // Without a progress token, the ask is the first message that is sent and stored.
    const params = { name: 'ask_count', arguments: { name: 'silent' } }
    const { events } = await session.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    if (events === undefined) throw new Error('No stream')
    const call = new ReconnectingCall(session, events)
    const ask = await call.message(0)
    session.url = await server.restart()
    await call.reconnect()
    expect(await session.answer(ask, { ok: true })).toBe(202)
    expect(await call.end()).toEqual([
      'ask Count silent?',
      'result 1 {"action":"accept","ok":true}',
    ])
    expect(await stepsOf(session, 'silent')).toEqual([1, 1])
  })

  it('stays open over five kills', async ({ onTestFinished }) => {
    const { server, session } = await begin(onTestFinished)
    const call = await ReconnectingCall.call(session, 'ask_count', { name: 'five' })
    const ask = await call.message(1)
    for (const _ of [1, 2, 3, 4, 5]) {
      session.url = await server.restart()
      await call.reconnect()
    }
    expect(await session.answer(ask, { ok: true })).toBe(202)
    expect(await call.end()).toHaveLength(4)
    expect(await stepsOf(session, 'five')).toEqual([1, 1])
  })

  it('is withdrawn at its deadline, and the call ends with an error', async ({
    onTestFinished,
  }) => {
    const server = await PersistentServer.start(onTestFinished, { short: true })
    const session = await openSession(server.url)
    const call = await ReconnectingCall.call(session, 'ask_count', { name: 'late' })
    const ask = await call.message(1)
    session.url = await server.restart()
    await call.reconnect()
    expect(await call.end()).toEqual([
      'progress 1',
      'ask Count late?',
      'cancelled',
      `failed 1 ${EXPIRED.slice(0, 60)}`,
    ])
    // A late response is accepted with 202 and has no effect.
    expect(await session.answer(ask, { ok: true })).toBe(202)
    expect(await stepsOf(session, 'late')).toEqual([1, 0])
  })

  it('accepts its response, and so does the ask that follows, after a kill before each', async ({
    onTestFinished,
  }) => {
    const { server, session } = await begin(onTestFinished)
    const call = await ReconnectingCall.call(session, 'ask_two')
    for (const index of [0, 1]) {
      const ask = await call.message(index)
      session.url = await server.restart()
      await call.reconnect()
      expect(await session.answer(ask, contentFor(ask))).toBe(202)
    }
    expect(await call.end()).toEqual([
      'ask What is your name?',
      'ask Which color do you like, Ada?',
      'result 1 Ada likes green',
    ])
  })
})

describe.concurrent('two concurrent asks', () => {
  it.for([
    ['before any response, left first', [0, 1], [0]],
    ['before any response, right first', [1, 0], [0]],
    ['between the responses, left first', [0, 1], [1]],
    ['between the responses, right first', [1, 0], [1]],
    ['before and between', [1, 0], [0, 1]],
  ] as const)(
    'both accept their responses after a kill %s',
    async ([, order, kills], { onTestFinished }) => {
      const { server, session } = await begin(onTestFinished)
      const call = await ReconnectingCall.call(session, 'ask_together')
      const asks = [await call.message(0), await call.message(1)]
      for (const [round, index] of order.entries()) {
        if (kills.some((kill) => kill === round)) {
          session.url = await server.restart()
          await call.reconnect()
        }
        const ask = asks[index]
        if (ask === undefined) throw new Error('No ask')
        expect(await session.answer(ask, contentFor(ask))).toBe(202)
      }
      expect(await call.end()).toEqual([
        'ask What is on the left?',
        'ask What is on the right?',
        'result 1 door window',
      ])
    },
  )

  it('ignore a second response to the first one after a kill', async ({ onTestFinished }) => {
    const { server, session } = await begin(onTestFinished)
    const call = await ReconnectingCall.call(session, 'ask_together')
    const [left, right] = [await call.message(0), await call.message(1)]
    expect(await session.answer(left, { left: 'door' })).toBe(202)
    session.url = await server.restart()
    await call.reconnect()
    // Late and repeated responses are accepted with 202 and have no effect.
    expect(await session.answer(left, { left: 'wall' })).toBe(202)
    expect(await session.answer(right, { right: 'window' })).toBe(202)
    expect((await call.end()).at(-1)).toBe('result 1 door window')
  })
})

/** Reads to the end and responds to every ask, as a client does. */
async function converse(session: Session, call: ReconnectingCall, acknowledged: Set<unknown>) {
  for (let index = 0; ; index++) {
    const message = await call.message(index)
    if (message.method === undefined) return
    if (message.method !== 'elicitation/create' || acknowledged.has(message.id)) continue
    expect(await session.answer(message, { ok: true })).toBe(202)
    acknowledged.add(message.id)
  }
}

describe('a kill at any time of a call that asks', () => {
  const FAILED = `failed 1 ${INTERRUPTED.slice(0, 60)}`
  const ANSWERED = 'result 1 {"action":"accept","ok":true}'
  const SESSIONS = Array.from({ length: 20 }, (_, index) => index)

  /** Expects an answer after all messages, or an error after any number of them. */
  function expectOneEnd(summaries: readonly string[], name: string): void {
    const way = ['progress 1', `ask Count ${name}?`, 'progress 3']
    const ends = way.map((_, index) => [...way.slice(0, index + 1), FAILED])
    expect([[...way, ANSWERED], [FAILED], ...ends]).toContainEqual(summaries)
  }

  it.for([120, 180, 240])(
    'leads to an answer or an error, and no step runs twice (%i ms)',
    async (killAfter, { onTestFinished }) => {
      const server = await PersistentServer.start(onTestFinished)
      const sessions = await Promise.all(SESSIONS.map(() => openSession(server.url)))
      const conversations = sessions.map(async (session, index) => {
        await delay(index * 5)
        const acknowledged = new Set()
        // A call without a response head was not acknowledged.
        const call = await ReconnectingCall.call(session, 'ask_count', {
          name: `any-${index}`,
        }).catch(() => undefined)
        if (call === undefined) return undefined
        await converse(session, call, acknowledged).catch(() => undefined)
        return { call, acknowledged }
      })
      await delay(killAfter)
      await server.kill()
      const url = await server.startAgain()
      for (const [index, session] of sessions.entries()) {
        session.url = url
        const name = `any-${index}`
        const begun = await conversations[index]
        const steps = () => stepsOf(session, name)
        if (begun === undefined || !(await begun.call.canReconnect())) {
          expect((await steps())[1]).toBe(0)
          continue
        }
        await begun.call.reconnect()
        await converse(session, begun.call, begun.acknowledged)
        const summaries = await begun.call.end()
        expectOneEnd(summaries, name)
        const [first, second] = await steps()
        if (summaries.at(-1) === ANSWERED) expect([first, second]).toEqual([1, 1])
        else expect(Math.max(first, second)).toBeLessThanOrEqual(1)
      }
    },
  )
})
