/** Open state of sessions: their ids, settings, logs and subscriptions. */
import { brief, type Message } from '../../faults/sessions/message.ts'
import type { Reply } from '../../faults/sessions/session.ts'
import { callTool } from '../calls.ts'
import { openState } from '../open-state.ts'
import { type HeldSession, openSession, reopenSession } from './held-session.ts'
import { expectChanges, type MissedChanges, missChanges } from './missed-changes.ts'

/** Longer than one row of a log. */
const LONG = 600 * 1024

/** The messages of a response in any form. */
async function messagesOf({ message, events }: Reply): Promise<readonly Message[]> {
  if (events !== undefined) return events.rest()
  return message === undefined ? [] : [message]
}

function idleSession(version: string) {
  return openState<HeldSession>({
    title: `accepts the id of a session of ${version}`,
    isOlder: true,
    leave: async (server) => (await openSession(server, version)).held,
    async resume(server, held, expect) {
      const session = reopenSession(server, held)
      const { result } = await session.request('tools/call', { name: 'whoami' })
      expect(JSON.parse(result?.content?.[0]?.text ?? '')).toMatchObject({
        sessionId: held.id,
        protocolVersion: version,
        era: 'session',
      })
    },
  })
}

export const SESSION_STATES = {
  'idle session, 2025-11-25': idleSession('2025-11-25'),
  'idle session, 2025-06-18': idleSession('2025-06-18'),
  'idle session, 2025-03-26': idleSession('2025-03-26'),

  'half-read log': openState<{ session: HeldSession; lastEventId: string; finalEventId: string }>({
    title: 'replays a half-read log from the last event of its reader, and nothing after its end',
    async leave(server) {
      const { session, held } = await openSession(server)
      const events = await session.stream('progress', { count: 20, gapMs: 0 })
      await events.rest()
      return { session: held, lastEventId: events.ids[6] ?? '', finalEventId: events.lastId }
    },
    async resume(server, { session: held, lastEventId, finalEventId }, expect) {
      const session = reopenSession(server, held)
      const rest = Array.from({ length: 13 }, (_, index) => `progress ${index + 8}`)
      expect((await session.rest(lastEventId)).map(brief)).toEqual([...rest, 'result 1 done'])
      expect(await session.rest(finalEventId)).toEqual([])
    },
  }),

  'log with a long event': openState<{ session: HeldSession; lastEventId: string }>({
    title: 'replays an event that takes several rows',
    async leave(server) {
      const { http, held } = await openSession(server)
      const events = await http.streamTool('log', { level: 'info', message: 'x'.repeat(LONG) })
      while ((await events.message()) !== undefined);
      // The priming event comes before the first event of the log.
      return { session: held, lastEventId: events.ids[0] ?? '' }
    },
    async resume(server, { session: held, lastEventId }, expect) {
      const [event, result] = await reopenSession(server, held).rest(lastEventId)
      expect(event?.params?.data).toBe('x'.repeat(LONG))
      expect(result && brief(result)).toBe('result 1 done')
    },
  }),

  'log level': openState<HeldSession>({
    title: 'keeps the log level of a session',
    async leave(server) {
      const { session, held } = await openSession(server)
      await session.request('logging/setLevel', { level: 'error' })
      return held
    },
    async resume(server, held, expect) {
      const session = reopenSession(server, held)
      const logged = async (level: string) =>
        (await messagesOf(await session.call('log', { level, message: level }))).map(brief)
      expect(await logged('info')).toEqual(['result 1 done'])
      expect(await logged('error')).toEqual(['log error', 'result 2 done'])
    },
  }),

  'terminated session': openState<HeldSession>({
    title: 'answers 404 for a session that was terminated',
    async leave(server) {
      const { session, held } = await openSession(server)
      await (await session.stream('progress', { count: 1, gapMs: 0 })).rest()
      if ((await session.end()) !== 204) throw new Error('The session was not terminated')
      return held
    },
    async resume(server, held, expect) {
      const session = reopenSession(server, held)
      expect((await session.call('count', { name: 'terminated' })).status).toBe(404)
      expect(await session.get()).toBe(404)
    },
  }),

  'stream of changes': openState<MissedChanges>({
    title: 'delivers the changes after the position of a listener once and in order',
    leave: missChanges,
    resume: expectChanges,
  }),

  counter: openState<string>({
    title: 'keeps the data of the author’s own objects',
    async leave(server, label) {
      for (const _ of [1, 2, 3]) await callTool(server, 'count', { name: label })
      return label
    },
    async resume(server, name, expect) {
      const { result } = await callTool(server, 'count', { name })
      expect(result?.structuredContent).toEqual({ value: 4 })
    },
  }),
}
