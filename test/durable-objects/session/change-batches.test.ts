import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import type { HubObject } from '../../../durable-objects/hub/hub-object.ts'
import type { Change } from '../../../src/ports/change-kinds.ts'
import { inPart, intercepting, objectsOfKind } from '../../support/objects.ts'
import { openSession, openSessionApp } from '../../support/session-client.ts'
import { relayedSessions } from './relayed-sessions.ts'

const CHANGES: readonly Change[] = [
  { kind: 'tools_list_changed' },
  { kind: 'resource_updated', uri: 'note://unread' },
  { kind: 'resource_updated', uri: 'note://a' },
  { kind: 'prompts_list_changed' },
]

const NOTIFICATIONS = [
  { jsonrpc: '2.0', method: 'notifications/tools/list_changed' },
  { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'note://a' } },
  { jsonrpc: '2.0', method: 'notifications/prompts/list_changed' },
]

const publishTogether = () =>
  inPart(objectsOfKind<HubObject>('hub').named('0'), (hub) =>
    Promise.all(CHANGES.map((change) => hub.publish({ ...change, server: 'sessions' }, 600_000))),
  )

/** Opens a session with a stream, and records the changes that its Worker sends to the object. */
async function opened() {
  const sent: { readonly kind: string }[] = []
  const onSent = (text: string) => {
    if (text.startsWith('{"kind":"change')) sent.push(JSON.parse(text))
  }
  const app = openSessionApp(
    { limits: { keepAliveMs: 100 } },
    intercepting({ ...env }, 'session', relayedSessions({ onSent })),
  )
  const session = await openSession({}, app)
  const stream = await session.listen()
  await stream.next()
  await session.request('resources/subscribe', { uri: 'note://a' })
  sent.length = 0
  return { session, stream, sent }
}

describe('changes that are published at the same time', () => {
  it('reach a session in order, and are forwarded in one message', async () => {
    const { session, stream, sent } = await opened()
    await publishTogether()
    const messages = [await stream.message(), await stream.message(), await stream.message()]
    expect(messages).toEqual(NOTIFICATIONS)
    expect(sent.map(({ kind }) => kind)).toEqual(['changes'])
    const ids = stream.ids.slice(-3)
    expect(new Set(ids).size).toBe(3)

    const resumed = await session.listen(ids[0])
    expect([await resumed.message(), await resumed.message()]).toEqual(NOTIFICATIONS.slice(1))
    await publishTogether()
    expect(await resumed.message()).toEqual(NOTIFICATIONS[0])
  })
})
