/** Calls of a session that wait for an answer, or that were running when the server was killed. */

import { delay } from '../../faults/sessions/delay.ts'
import { HttpSseSession } from '../../faults/sessions/http-sse-session.ts'
import { brief, INTERRUPTED, type Message } from '../../faults/sessions/message.ts'
import { readCount, stepsOf } from '../calls.ts'
import { openState } from '../open-state.ts'
import { type HeldSession, openSession, reopenSession } from './held-session.ts'

export interface HeldCall {
  readonly session: HeldSession
  readonly lastEventId: string
  /** The name of its counters. */
  readonly name: string
}

const AFTER_ANSWER = ['progress 3', 'result 1 {"action":"accept","ok":true}']

function pendingQuestion(version: string) {
  return openState<HeldCall>({
    title: `accepts the answer to a question of a session of ${version}, and runs no step twice`,
    async leave(server, name) {
      const { session, held } = await openSession(server, version)
      const events = await session.stream('ask_count', { name })
      await events.message(1)
      events.close()
      return { session: held, lastEventId: events.ids[0] ?? '', name }
    },
    async resume(server, { session: held, lastEventId, name }, expect) {
      const session = reopenSession(server, held)
      const events = await session.listen(lastEventId)
      const ask = await events.message(0)
      expect(brief(ask)).toBe(`ask Count ${name}?`)
      expect(await session.answer(ask, { ok: true })).toBe(202)
      expect((await events.rest()).slice(1).map(brief)).toEqual(AFTER_ANSWER)
      expect(await stepsOf(server, name)).toEqual([1, 1])
    },
  })
}

export const ASKING_STATES = {
  'pending question, 2025-11-25': pendingQuestion('2025-11-25'),
  'pending question, 2025-06-18': pendingQuestion('2025-06-18'),
  'pending question, 2025-03-26': pendingQuestion('2025-03-26'),

  'question answered in part': openState<
    Omit<HeldCall, 'name'> & { readonly left: Message; readonly right: Message }
  >({
    title: 'keeps the answer to the first of two questions, and accepts that to the second',
    async leave(server) {
      const { session, held } = await openSession(server)
      const events = await session.stream('ask_together')
      const [left, right] = [await events.message(0), await events.message(1)]
      await session.answer(left, { left: 'door' })
      events.close()
      return { session: held, lastEventId: events.lastId, left, right }
    },
    async resume(server, { session: held, lastEventId, left, right }, expect) {
      const session = reopenSession(server, held)
      // A late answer is accepted with 202 and has no effect.
      expect(await session.answer(left, { left: 'wall' })).toBe(202)
      expect(await session.answer(right, { right: 'window' })).toBe(202)
      expect((await session.rest(lastEventId)).map(brief)).toEqual(['result 1 door window'])
    },
  }),

  'pending question, 2024-11-05': openState<{ lastEventId: string; name: string }>({
    title: 'accepts the answer to a question of the 2024-11-05 transport',
    async leave(server, name) {
      const session = await HttpSseSession.open(server.url, server.fetch)
      await session.call('ask_count', { name })
      await session.events.message(2)
      session.events.close()
      return { lastEventId: session.events.ids[1] ?? '', name }
    },
    async resume(server, { lastEventId, name }, expect) {
      const session = await HttpSseSession.resume(server.url, lastEventId, server.fetch)
      const ask = await session.events.message(0)
      expect(brief(ask)).toBe(`ask Count ${name}?`)
      expect(await session.answer(ask, { ok: true })).toBe(202)
      await session.events.message(2)
      session.events.close()
      expect(session.events.messages.slice(1).map(brief)).toEqual(AFTER_ANSWER)
      expect(await stepsOf(server, name)).toEqual([1, 1])
    },
  }),

  'interrupted call': openState<HeldCall>({
    title:
      'ends a call that was running at the kill with an error that says so, or with the handle of the task that it has become',
    needsKill: true,
    async leave(server, name) {
      const { session, held } = await openSession(server)
      const events = await session.stream('ten_steps', { name, gapMs: 60_000 })
      await events.primed()
      while ((await readCount(server, `${name}-1`)) !== 1) await delay(20)
      return { session: held, lastEventId: events.lastId, name }
    },
    async resume(server, { session: held, lastEventId, name }, expect) {
      const messages = await reopenSession(server, held).rest(lastEventId)
      // A call that has lasted for some time before the kill is a task, which goes on.
      expect(messages.map(brief)).toEqual([
        expect.toBeOneOf([
          `failed 1 ${INTERRUPTED.slice(0, 60)}`,
          expect.stringMatching(/^result 1 ten_steps has not ended yet and goes on/),
        ]),
      ])
      expect(await readCount(server, `${name}-1`)).toBe(1)
      expect(await readCount(server, `${name}-2`)).toBe(0)
    },
  }),

  'interrupted call that may be repeated': openState<Omit<HeldCall, 'name'>>({
    title: 'repeats an idempotent call that was running at the kill',
    needsKill: true,
    async leave(server) {
      const { session, held } = await openSession(server)
      const events = await session.stream('reads_only', { ms: 1500 })
      await events.primed()
      return { session: held, lastEventId: events.lastId }
    },
    async resume(server, { session: held, lastEventId }, expect) {
      const messages = await reopenSession(server, held).rest(lastEventId)
      expect(messages.map(brief)).toEqual([expect.stringMatching(/^result 1 \{"value":\d+\}$/)])
    },
  }),
}
