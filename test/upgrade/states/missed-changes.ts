/** A listener of a session that was away while changes were published. */
import type { ExpectStatic } from 'vitest'
import { brief } from '../../faults/sessions/message.ts'
import { type Endpoint, touch } from '../calls.ts'
import { type HeldSession, openSession, reopenSession } from './held-session.ts'

export interface MissedChanges {
  readonly session: HeldSession
  readonly lastEventId: string
  /** The resources of the session's subscriptions: one was received, two were missed, one is left. */
  readonly uris: readonly string[]
}

/** Changes of other resources, so that positions in the hub are numbers of several digits. */
const OTHER_CHANGES = 40

export async function missChanges(endpoint: Endpoint, label: string): Promise<MissedChanges> {
  const { session, held } = await openSession(endpoint)
  const uris = [1, 2, 3, 4].map((number) => `probe://item/${label}-${number}`)
  for (let count = 0; count < OTHER_CHANGES; count++) await touch(endpoint, 'probe://static/a')
  for (const uri of uris) await session.request('resources/subscribe', { uri })
  const events = await session.listen()
  const [received = '', ...missed] = uris.slice(0, 3)
  await touch(endpoint, received)
  await events.message(0)
  events.close()
  for (const uri of missed) await touch(endpoint, uri)
  return { session: held, lastEventId: events.lastId, uris }
}

/** Expects the missed changes and a later one: once and in order. */
export async function expectChanges(
  endpoint: Endpoint,
  { session, lastEventId, uris }: MissedChanges,
  expect: ExpectStatic,
): Promise<void> {
  const events = await reopenSession(endpoint, session).listen(lastEventId)
  await events.message(1)
  await touch(endpoint, uris.at(-1) ?? '')
  await events.message(2)
  events.close()
  expect(events.messages.map(brief)).toEqual(uris.slice(1).map((uri) => `updated ${uri}`))
}
