/** Rows occurrence-* of the scenario events-poll: the form of an event, by each way. */
// features: events
import { expect, it } from 'vitest'
import { emit, openStream, person, receiver } from '../support/rows.ts'
import { rowsEvents } from '../support/rows-server.ts'

async function polled(texts: readonly string[] = ['a']) {
  const who = await person()
  const args = { topic: who.topic }
  const { cursor } = await who.client.events.poll('rows.all', { arguments: args })
  const emitted: string[] = []
  for (const text of texts) emitted.push((await emit(who.topic, text)).eventId)
  const result = await who.client.events.poll('rows.all', { arguments: args, cursor })
  return { ...who, emitted, events: result.events }
}

it('occurrence-event-id: has an id of its own, which emit has returned', async () => {
  const { events, emitted } = await polled(['a', 'b', 'c'])
  expect(events.map(({ eventId }) => eventId)).toEqual(emitted)
  expect(new Set(emitted).size).toBe(3)
})

it('occurrence-name: has the name of its type', async () => {
  expect((await polled()).events[0]?.name).toBe('rows.all')
})

it('occurrence-timestamp: is the time of the occurrence in ISO 8601, with a time zone', async () => {
  const { client, topic } = await person()
  const args = { topic }
  const { cursor } = await client.events.poll('rows.all', { arguments: args })
  await emit(topic, 'now')
  const timestamp = '2026-02-19T15:30:00+02:00'
  await rowsEvents().emit('rows.all', { topic, text: 'then' }, { timestamp })
  const { events } = await client.events.poll('rows.all', { arguments: args, cursor })
  expect(events.map((event) => event.timestamp)).toEqual([
    expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    timestamp,
  ])
})

it('occurrence-data: has the data that the payload schema accepts', async () => {
  const { events, topic } = await polled()
  expect(events[0]?.data).toEqual({ topic, text: 'a' })
})

it('occurrence-cursor-optional: has a cursor on a stream and in a delivery, and none in a poll', async () => {
  const { events, ...who } = await polled()
  expect(events[0]).not.toHaveProperty('cursor')
  const callback = receiver()
  const args = { topic: who.topic }
  await who.client.events.subscribe('rows.all', { callback, arguments: args })
  const stream = await openStream(who)
  await emit(who.topic, 'b')
  expect((await stream.next()).cursor).toBeTypeOf('string')
  expect((await callback.next()).event?.cursor).toBeTypeOf('string')
})

it('occurrence-meta-ungoverned: has no member besides those of the extension', async () => {
  const { events } = await polled()
  const members = ['eventId', 'name', 'timestamp', 'data', '_meta']
  expect(Object.keys(events[0] ?? {}).filter((name) => !members.includes(name))).toEqual([])
})

it('occurrence-event-id-from-upstream: has the id of the upstream by every way, and the same id twice is one event', async () => {
  const { client, topic, ...who } = await person()
  const args = { topic }
  const { cursor } = await client.events.poll('rows.all', { arguments: args })
  const callback = receiver()
  await client.events.subscribe('rows.all', { callback, arguments: args })
  const stream = await openStream({ client, topic })
  const eventId = `upstream-${who.subject}`
  for (const text of ['a', 'again']) {
    expect(await emit(topic, text, 'rows.all', eventId)).toEqual({ eventId })
  }
  await emit(topic, 'last')
  const { events } = await client.events.poll('rows.all', { arguments: args, cursor })
  expect(events.map((event) => [event.eventId === eventId, event.data])).toEqual([
    [true, { topic, text: 'a' }],
    [false, { topic, text: 'last' }],
  ])
  expect((await stream.next()).eventId).toBe(eventId)
  expect((await stream.next()).eventId).not.toBe(eventId)
  expect((await callback.next()).event?.eventId).toBe(eventId)
  expect((await callback.next()).event?.eventId).not.toBe(eventId)
})

it.each([
  ['2026-02-19T15:30:00.123456789-05:30', '2026-02-19T15:30:00.123456789-05:30'],
  ['2026-02-19T15:30+0530', '2026-02-19T10:00:00.000Z'],
  ['2026-02-19t15:30:00z', '2026-02-19T15:30:00.000Z'],
  ['2026-02-19T24:00:00Z', '2026-02-20T00:00:00.000Z'],
  [`2026-02-19T15:30:00.${'1'.repeat(1000)}Z`, '2026-02-19T15:30:00.111Z'],
])('occurrence-timestamp: %s is sent in the form of RFC 3339', async (timestamp, sent) => {
  const { client, topic } = await person()
  const args = { topic }
  const { cursor } = await client.events.poll('rows.all', { arguments: args })
  await rowsEvents().emit('rows.all', { topic, text: 'then' }, { timestamp })
  const { events } = await client.events.poll('rows.all', { arguments: args, cursor })
  expect(events.map((event) => event.timestamp)).toEqual([sent])
})

it.each(['2026-02-30T00:00:00Z', '2026-04-31T00:00:00+02:00', '2026-13-01T00:00:00Z'])(
  'occurrence-timestamp: refuses %s, which is no day',
  async (timestamp) => {
    const emitted = rowsEvents().emit('rows.all', { topic: 'a', text: 'then' }, { timestamp })
    await expect(emitted).rejects.toMatchObject({ reason: 'invalid-timestamp' })
  },
)
