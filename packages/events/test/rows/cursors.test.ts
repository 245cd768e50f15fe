/** Rows of the scenario events-poll about cursors, replay and gaps, each in the modes that it concerns. */
// features: events
import { expect, it } from 'vitest'
import { advanceClock } from '../../../../test/support/clock.ts'
import {
  authorized,
  emit,
  emitAll,
  openStream,
  pass,
  person,
  rawApp,
  receiver,
  textsOf,
} from '../support/rows.ts'
import { HISTORY_MS, rowsEvents } from '../support/rows-server.ts'

/** A person, and a cursor after which the texts were emitted. */
async function emitted(texts: readonly string[], type = 'rows.all') {
  const who = await person()
  const args = { topic: who.topic }
  const { cursor } = await who.client.events.poll(type, { arguments: args })
  await emitAll(who.topic, texts, type)
  return { ...who, args, cursor }
}

it('cursor-opaque: a cursor that no server has issued is no error, and begins with a gap', async () => {
  const { client, topic, args } = await emitted(['a'])
  const result = await client.events.poll('rows.all', { arguments: args, cursor: 'made up' })
  expect(result).toMatchObject({ truncated: true, cursor: expect.any(String) })
  await emit(topic, 'b')
  const { events } = await client.events.poll('rows.all', {
    arguments: args,
    cursor: result.cursor,
  })
  expect(textsOf(events)).toEqual(['b'])
})

it('cursor-null-starts-from-now: null returns no earlier events, in every mode', async () => {
  const { client, args, ...who } = await emitted(['before'])
  expect((await client.events.poll('rows.all', { arguments: args })).events).toEqual([])
  const callback = receiver()
  await client.events.subscribe('rows.all', { callback, arguments: args, cursor: null })
  const stream = await openStream({ client, ...who })
  await emit(who.topic, 'after')
  expect(textsOf([await stream.next()])).toEqual(['after'])
  expect((await callback.next()).event?.data).toMatchObject({ text: 'after' })
})

it('cursor-absent-equals-null: a request without cursor is served as one with null, in every mode', async () => {
  const { client, args, topic } = await emitted(['before'])
  const params = { name: 'rows.all', arguments: args }
  const polled = await client.request('events/poll', params)
  expect(polled).toMatchObject({ events: [], cursor: expect.any(String), truncated: false })
  const callback = receiver()
  const delivery = { mode: 'webhook', url: callback.url, secret: callback.secret }
  const subscribed = await client.request('events/subscribe', { ...params, delivery })
  expect(subscribed).toMatchObject({ cursor: expect.any(String), truncated: false })
  const stream = await client.events.stream('rows.all', { arguments: args })
  expect(stream.truncated).toBe(false)
  stream.close()
  await emit(topic, 'after')
  expect((await callback.next()).event?.data).toMatchObject({ text: 'after' })
})

it('cursor-consistency: a type with replay always has a cursor, and one without never', async () => {
  const { client, topic, args } = await emitted(['a'])
  for (const [type, cursor] of [
    ['rows.all', expect.any(String)],
    ['rows.plain', null],
  ] as const) {
    const callback = receiver()
    const subscribed = await client.events.subscribe(type, { callback, arguments: args })
    const stream = await openStream({ client, topic }, type)
    const active = await stream.nextMessage('active')
    await emit(topic, 'b', type)
    const event = await stream.next()
    const delivery = await callback.next()
    const heartbeat = await stream.nextMessage('heartbeat')
    const polled = await client.events.poll(type, { arguments: args })
    const cursors = [subscribed, active, event, delivery.event, heartbeat, polled].map(
      (message) => message?.cursor,
    )
    expect([type, cursors]).toEqual([type, Array.from({ length: 6 }, () => cursor)])
  }
})

it('cursor-advances-when-quiet: moves on while events of others occur', async () => {
  const { client, cursor, args } = await emitted([])
  await emit('a topic of others', 'other')
  const result = await client.events.poll('rows.all', { arguments: args, cursor })
  expect(result.events).toEqual([])
  expect(result.cursor).not.toBe(cursor)
})

it('max-age-ms-floor: begins at the later of the cursor and the age', async () => {
  const { client, topic, args, cursor } = await emitted(['old'])
  advanceClock(60_000)
  await emit(topic, 'young')
  const poll = (maxAgeMs?: number) =>
    client.events.poll('rows.all', {
      arguments: args,
      cursor,
      ...(maxAgeMs !== undefined && { maxAgeMs }),
    })
  expect(textsOf((await poll()).events)).toEqual(['old', 'young'])
  expect(textsOf((await poll(120_000)).events)).toEqual(['old', 'young'])
  expect(textsOf((await poll(30_000)).events)).toEqual(['young'])
})

it('max-age-ms-sets-truncated: tells that events between the cursor and the age are left out, in every mode', async () => {
  const { client, topic, args, cursor } = await emitted(['old'])
  advanceClock(60_000)
  await emit(topic, 'young')
  const options = { arguments: args, cursor, maxAgeMs: 30_000 }
  expect((await client.events.poll('rows.all', options)).truncated).toBe(true)
  const stream = await client.events.stream('rows.all', options)
  expect(stream.truncated).toBe(true)
  expect(textsOf([await stream.next()])).toEqual(['young'])
  stream.close()
  const callback = receiver()
  const subscribed = await client.events.subscribe('rows.all', { callback, ...options })
  expect(subscribed.truncated).toBe(true)
  expect((await callback.next()).event?.data).toMatchObject({ text: 'young' })
})

it('max-age-ms-ignored-when-cursor-null: a null cursor begins now, with any age', async () => {
  const { client, args } = await emitted(['old'])
  const options = { arguments: args, maxAgeMs: 3_600_000 }
  const result = await client.events.poll('rows.all', options)
  expect(result).toMatchObject({ events: [], truncated: false })
  const stream = await client.events.stream('rows.all', options)
  expect(stream.truncated).toBe(false)
  stream.close()
})

it('replay-ceiling-sets-truncated: a cursor before the history of the type begins with a gap', async () => {
  const { client, topic, args, cursor } = await emitted(['lost'], 'rows.poll')
  await pass(HISTORY_MS + 60_000, 'rows.poll')
  await emit(topic, 'kept', 'rows.poll')
  const result = await client.events.poll('rows.poll', { arguments: args, cursor })
  expect(result.truncated).toBe(true)
  expect(textsOf(result.events)).toEqual(['kept'])
})

it('truncated-returns-fresh-cursor: a poll with the cursor that came with a gap continues without one', async () => {
  const { client, topic, args } = await emitted([], 'rows.poll')
  await emit(topic, 'a', 'rows.poll')
  const options = { arguments: args, cursor: 'made up' }
  const gap = await client.events.poll('rows.poll', options)
  await emit(topic, 'b', 'rows.poll')
  const next = await client.events.poll('rows.poll', { arguments: args, cursor: gap.cursor })
  expect([gap.truncated, next.truncated, textsOf(next.events)]).toEqual([true, false, ['b']])
})

it('truncated-poll-never-an-error: a gap is a member of a result with all of its members', async () => {
  const { topic, cursor, subject } = await emitted(['a'])
  await rowsEvents().gap('rows.all')
  const { status, body } = await rawApp().modern(
    'events/poll',
    { name: 'rows.all', arguments: { topic }, cursor },
    { headers: authorized(subject) },
  )
  expect(status).toBe(200)
  expect(body.result).toMatchObject({
    events: [expect.objectContaining({ name: 'rows.all' })],
    cursor: expect.any(String),
    truncated: true,
    hasMore: false,
    nextPollMs: 30_000,
  })
})

it('truncated-false-when-no-replay: a type without replay has no gap, with any cursor', async () => {
  const { client, args } = await emitted([], 'rows.plain')
  const options = { arguments: args, cursor: 'of an earlier definition', maxAgeMs: 1 }
  const polled = await client.events.poll('rows.plain', options)
  expect(polled).toMatchObject({ cursor: null, truncated: false })
  const stream = await client.events.stream('rows.plain', options)
  expect([stream.truncated, stream.cursor]).toEqual([false, null])
  stream.close()
  const callback = receiver()
  const subscribed = await client.events.subscribe('rows.plain', { callback, ...options })
  expect(subscribed).toMatchObject({ cursor: null, truncated: false })
})
