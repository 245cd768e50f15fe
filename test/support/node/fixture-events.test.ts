/** The event types of the fixture server and `/probe/emit`, as a client of a process sees them. `suite-events.test.ts` has the rest. */
// features: events
import { expect, it, onTestFinished } from 'vitest'
import { startFixtureServer } from './fixture-server.ts'
import { openClient } from './http-client.ts'
import { startHttpReceivers } from './http-receiver.ts'

it('the fixture server lists its event types in the order of the conformance suite, and /probe/emit emits them', async () => {
  const receivers = await startHttpReceivers()
  const server = await startFixtureServer({ callbackOrigins: [receivers.origin] })
  onTestFinished(async () => {
    await server.stop()
    receivers.stop()
  })
  const client = await openClient(server.url)
  const types = await client.events.list()
  expect(types.map(({ name, delivery }) => [name, delivery.length])).toEqual([
    ['probe.tick', 3],
    ['probe.note', 3],
    ['probe.push', 1],
    ['probe.poll', 1],
    ['probe.plain', 3],
    ['probe.mine', 3],
  ])
  const callback = receivers.open()
  await client.events.subscribe('probe.note', { callback, arguments: {} })
  const emit = async (event: object) => {
    const body = JSON.stringify(event)
    const response = await fetch(new URL('/probe/emit', server.url), { method: 'POST', body })
    return [response.status, await response.json()]
  }
  const note = { name: 'probe.note', data: { topic: 'x', text: 'y' }, eventId: 'note-1' }
  expect(await emit(note)).toEqual([200, { eventId: 'note-1' }])
  expect((await callback.next()).event).toMatchObject({ eventId: 'note-1', data: note.data })
  expect(await emit({ name: 'probe.none', data: {} })).toMatchObject([
    400,
    { reason: 'unknown-type' },
  ])
})
