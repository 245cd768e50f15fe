/**
 * Kills the process while calls wait for responses. Asks stay open, acknowledged responses count, and no step
 * runs twice. The soak (`test/soak`) kills at every other moment, with a ledger of what was promised.
 */
import { describe, expect, it } from 'vitest'
import { delay } from './delay.ts'
import type { EventReader } from './event-reader.ts'
import { brief, INTERRUPTED, type Message } from './message.ts'
import { PersistentServer } from './persistent-server.ts'
import { openSession, type Session } from './session.ts'

const EXPIRED = 'The question was not answered in time. The call may be repeated.'

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

  /** Resolves with the message of an index, over all connections. */
  async message(index: number): Promise<Message> {
    return this.#all[index] ?? this.#events.message(index - this.#all.length)
  }

  /** Whether the lost connection had received an event id. */
  async canReconnect(): Promise<boolean> {
    await this.#events.rest()
    return this.#events.lastId !== ''
  }

  /** Whether the client had received the answer, so that the stream has no rest. */
  get isAnswered(): boolean {
    const last = this.#events.messages.at(-1)
    return last !== undefined && last.method === undefined
  }

  /** Opens the stream from the last event on, after the connection was lost. */
  async reconnect(): Promise<void> {
    await this.#events.rest()
    this.#all.push(...this.#events.messages)
    this.#events = await this.#session.listen(this.#events.lastId)
  }

  async end(): Promise<string[]> {
    await this.#events.rest()
    return [...this.#all, ...this.#events.messages].map(brief)
  }
}

describe.concurrent('an ask that was open when the process was killed', () => {
  it('is answered afterwards, its steps done once, under every revision', async ({
    onTestFinished,
  }) => {
    const server = await PersistentServer.start(onTestFinished)
    const calls = await Promise.all(
      ['2025-11-25', '2025-06-18', '2025-03-26'].map(async (version) => {
        const session = await openSession(server.url, { version })
        const call = await ReconnectingCall.call(session, 'ask_count', { name: version })
        return { version, session, call, ask: await call.message(1) }
      }),
    )
    const url = await server.restart()
    for (const { version, session, call, ask } of calls) {
      session.url = url
      await call.reconnect()
      expect(await session.answer(ask, { ok: true })).toBe(202)
      expect(await call.end()).toEqual([
        'progress 1',
        `ask Count ${version}?`,
        'progress 3',
        'result 1 {"action":"accept","ok":true}',
      ])
      expect(await stepsOf(session, version)).toEqual([1, 1])
    }
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

  it('counts once when the other one of two was answered before the kill', async ({
    onTestFinished,
  }) => {
    const server = await PersistentServer.start(onTestFinished)
    const session = await openSession(server.url)
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

  it.for([120, 240])(
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
        if (!begun.call.isAnswered) {
          await begun.call.reconnect()
          await converse(session, begun.call, begun.acknowledged)
        }
        const summaries = await begun.call.end()
        expectOneEnd(summaries, name)
        const [first, second] = await steps()
        if (summaries.at(-1) === ANSWERED) expect([first, second]).toEqual([1, 1])
        else expect(Math.max(first, second)).toBeLessThanOrEqual(1)
      }
    },
  )
})
