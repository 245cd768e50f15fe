/** How long a session of the 2024-11-05 transport stores what its client declared in `initialize`. */
import { runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import type { SessionObject } from '../../../durable-objects/session/session-object.ts'
import { advanceClock } from '../../support/clock.ts'
import { connectHttpSse, initializeHttpSse } from '../../support/http-sse-client.ts'
import { objectsOfKind } from '../../support/objects.ts'
import { claimsOf, openSessionApp, SessionClient } from '../../support/session-client.ts'
import { kill, runDueAlarms, socketsOf } from './lifetime.ts'
import { NOTHING, storedBy } from './stored.ts'

const MINUTE_MS = 60_000

// Frequent comments show soon that a client has disconnected.
const app = openSessionApp({ limits: { keepAliveMs: 100 } })

const echo = (text: string) => ({ name: 'echo', arguments: { text } })

async function opened(introduction?: object) {
  const connection = await initializeHttpSse(app, introduction)
  return { ...connection, session: new SessionClient(app, connection.id, '2024-11-05') }
}

describe('the introduction of a client', () => {
  it('is stored while its stream is open, and for five minutes after that', async () => {
    const { stream, session } = await opened()
    advanceClock(60 * MINUTE_MS)
    await runDueAlarms(session)
    expect((await storedBy(session)).rows).toMatchObject({ settings: 2 })
    await stream.leave()
    await expect.poll(() => socketsOf(session)).toBe(0)
    advanceClock(4 * MINUTE_MS)
    await runDueAlarms(session)
    expect((await storedBy(session)).rows).toMatchObject({ settings: 3 })
    advanceClock(2 * MINUTE_MS)
    await runDueAlarms(session)
    expect(await storedBy(session)).toEqual(NOTHING)
  })

  it('is stored for five minutes after an alarm that finds no stream, because a kill leaves no sign', async () => {
    const { stream, session, send } = await opened()
    expect((await send('tools/call', echo('first'), 'a')).status).toBe(202)
    expect((await stream.message()).id).toBe('a')
    advanceClock(60 * MINUTE_MS)
    await runDueAlarms(session)
    await kill(session)
    advanceClock(4 * MINUTE_MS)
    await runDueAlarms(session)
    const resumed = await connectHttpSse(app, stream.lastId)
    expect((await resumed.send('tools/call', echo('second'), 'b')).status).toBe(202)
    expect((await resumed.stream.message()).id).toBe('b')
    await kill(session)
    advanceClock(60 * MINUTE_MS)
    await runDueAlarms(session)
    expect((await storedBy(session)).rows).toMatchObject({ settings: 3 })
    advanceClock(5 * MINUTE_MS)
    await runDueAlarms(session)
    expect(await storedBy(session)).toEqual(NOTHING)
  })

  it('is abridged: long names are cut, and of large capabilities only the asks remain', async () => {
    const experimental = { huge: 'x'.repeat(1_000_000) }
    const { id } = await opened({
      capabilities: { experimental, elicitation: { form: {} } },
      clientInfo: { name: 'n'.repeat(1_000_000), version: '1' },
    })
    const stub = objectsOfKind<SessionObject>('session', 'sessions').named(
      (await claimsOf(id)).name,
    )
    const size = await runInDurableObject(stub, (_, { storage }) =>
      storage.sql
        .exec<{ size: number }>("SELECT length(value) AS size FROM settings WHERE name = 'client'")
        .one(),
    )
    expect(size.size).toBeLessThan(400)
  })
})
