/** Subscriptions and elicitations whose filter the Worker of the primary stream does not apply in time. */
// features: changes

import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { createFullEdgeway } from '../../support/full-app.ts'
import { intercepting } from '../../support/objects.ts'
import { openSession, openSessionApp, type SessionClient } from '../../support/session-client.ts'
import { sessionServer } from '../../support/session-server.ts'
import { relayedSessions } from './relayed-sessions.ts'

const { notify } = createFullEdgeway(sessionServer, {})
const { resourceUpdated, elicitationComplete } = notify(env)

/** An app whose stream sockets drop filters while `isHeld`, as the socket of a Worker that hangs. */
function holdingFilters() {
  const hold = { isHeld: false }
  const relay = relayedSessions({
    toWorker: (text) => (hold.isHeld && text.startsWith('p') ? undefined : text),
  })
  return { hold, app: openSessionApp({}, intercepting({ ...env }, 'session', relay)) }
}

const subscribe = (session: SessionClient, uri: string) =>
  session.request('resources/subscribe', { uri })

const updated = (uri: string) => ({
  jsonrpc: '2.0',
  method: 'notifications/resources/updated',
  params: { uri },
})

describe('a change filter that the Worker has not acknowledged', () => {
  it('loses no update of a resource whose subscription was acknowledged', async () => {
    const { hold, app } = holdingFilters()
    const session = await openSession({}, app)
    await subscribe(session, 'note://a')
    const stream = await session.listen()
    await resourceUpdated('note://a')
    expect(await stream.message()).toEqual(updated('note://a'))
    hold.isHeld = true
    const acknowledged = subscribe(session, 'item://x')
    // Changes that the old filter chooses move the position of the session.
    await resourceUpdated('note://a')
    expect(await acknowledged).toMatchObject({ result: {} })
    hold.isHeld = false
    await resourceUpdated('item://x')
    await resourceUpdated('note://a')
    expect([await stream.message(), await stream.message(), await stream.message()]).toEqual([
      updated('note://a'),
      updated('item://x'),
      updated('note://a'),
    ])
  })

  it('loses no completion of an elicitation that was sent', async () => {
    const { hold, app } = holdingFilters()
    const session = await openSession({}, app)
    const stream = await session.listen()
    await subscribe(session, 'note://a')
    hold.isHeld = true
    const elicitationId = crypto.randomUUID()
    const call = await session.stream(async ({ elicit }) => {
      const url = 'https://x.example/login'
      return (await elicit({ message: 'Log in', url, elicitationId })).action
    })
    expect((await call.message()).params.elicitationId).toBe(elicitationId)
    hold.isHeld = false
    await elicitationComplete(elicitationId)
    await resourceUpdated('note://a')
    expect((await stream.message()).params).toEqual({ elicitationId })
    expect(await stream.message()).toEqual(updated('note://a'))
  })

  it('delivers an elicitation completion that was published before the stream opened', async () => {
    const session = await openSession()
    const elicitationId = crypto.randomUUID()
    const call = await session.stream(async ({ elicit }) => {
      const url = 'https://x.example/login'
      return (await elicit({ message: 'Log in', url, elicitationId })).action
    })
    expect((await call.message()).params.elicitationId).toBe(elicitationId)
    await elicitationComplete(elicitationId)
    const stream = await session.listen()
    expect((await stream.message()).params).toEqual({ elicitationId })
  })
})
