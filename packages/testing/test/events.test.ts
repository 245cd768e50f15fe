/** `client.events` beside what the rows of the conformance suite use of it. */
// features: events
import { expect, it } from 'vitest'
import { eventsAlone } from '../../events/test/support/events-alone.ts'
import { emit, openStream, person } from '../../events/test/support/rows.ts'
import { rowsEnv } from '../../events/test/support/rows-server.ts'
import { connect, McpError } from '../src/index.ts'

it('client.events lists and polls in revision 2025-11-25, and says why it does not stream', async () => {
  const client = await connect(eventsAlone(), {
    env: rowsEnv,
    revision: '2025-11-25',
  })
  expect((await client.events.list()).map(({ delivery }) => delivery)).toEqual([
    ['poll', 'webhook'],
  ])
  expect((await client.events.poll('rows.all')).events).toEqual([])
  await expect(client.events.stream('rows.all')).rejects.toThrow(
    'events/stream needs revision 2026-07-28',
  )
})

it('client.events.stream rejects with the error of the server when it is refused', async () => {
  const { client } = await person()
  const refused = client.events.stream('rows.unknown')
  await expect(refused).rejects.toBeInstanceOf(McpError)
  await expect(refused).rejects.toMatchObject({ code: -32_011, data: { kind: 'event' } })
})

it('client.events.stream ends when its signal aborts, with the reason', async () => {
  const { client } = await person()
  const controller = new AbortController()
  const stream = await client.events.stream('rows.all', { signal: controller.signal })
  controller.abort(new Error('enough'))
  expect(await stream.ended).toEqual({ reason: new Error('enough') })
})

it('a stream of events keeps the cursor of its last message, and says which message did not arrive', async () => {
  const who = await person()
  const stream = await openStream(who)
  await emit(who.topic, 'a')
  const { cursor } = await stream.next()
  expect([typeof cursor, stream.truncated]).toEqual(['string', false])
  await expect(stream.next(1)).rejects.toThrow('No event arrived within 1 ms')
  await emit(who.topic, 'b')
  expect((await stream.next()).data).toMatchObject({ text: 'b' })
})
