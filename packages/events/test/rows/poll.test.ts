/** Rows poll-* of the scenario events-poll: the form of a result, and what is refused. */
// features: events
import { expect, it } from 'vitest'
import {
  authorized,
  CODES,
  emitAll,
  emitFor,
  person,
  rawApp,
  refusal,
  textsOf,
} from '../support/rows.ts'
import { rowsEvents, switches } from '../support/rows-server.ts'

it('poll-implemented: answers events, cursor and nextPollMs', async () => {
  const { subject } = await person()
  const { status, body } = await rawApp().modern(
    'events/poll',
    { name: 'rows.all', arguments: {}, cursor: null },
    { headers: authorized(subject) },
  )
  expect(status).toBe(200)
  expect(body.result).toMatchObject({
    resultType: 'complete',
    events: [],
    cursor: expect.any(String),
    truncated: false,
    hasMore: false,
    nextPollMs: 30_000,
  })
})

it('poll-one-subscription-per-request: two polls with different arguments have events of their own', async () => {
  const [one, two] = [await person(), await person()]
  const { events } = one.client
  const polls = [{ topic: one.topic }, { topic: two.topic }]
  const begun = await Promise.all(polls.map((args) => events.poll('rows.all', { arguments: args })))
  await emitAll(one.topic, ['first'])
  await emitAll(two.topic, ['second'])
  const next = polls.map((args, place) =>
    events.poll('rows.all', { arguments: args, cursor: begun[place]?.cursor ?? null }),
  )
  const results = await Promise.all(next)
  expect(results.map((result) => textsOf(result.events))).toEqual([['first'], ['second']])
})

it('poll-bootstraps-subscription: the first poll with null returns the cursor from which the second continues', async () => {
  const { client, topic } = await person()
  const args = { topic }
  const { events, cursor } = await client.events.poll('rows.all', { arguments: args })
  expect(events).toEqual([])
  await emitAll(topic, ['a'])
  const next = await client.events.poll('rows.all', { arguments: args, cursor })
  expect(textsOf(next.events)).toEqual(['a'])
})

it('poll-events-array: has an empty list when nothing has occurred', async () => {
  const { client, topic } = await person()
  const { cursor } = await client.events.poll('rows.all', { arguments: { topic } })
  const { events } = await client.events.poll('rows.all', { arguments: { topic }, cursor })
  expect(events).toEqual([])
})

it('poll-response-cursor: an event whose transform throws is missing, and the events after it are returned', async () => {
  const { client, topic } = await person()
  const args = { topic }
  const { cursor } = await client.events.poll('rows.all', { arguments: args })
  switches.faulty.add(`faulty ${topic}`)
  await emitAll(topic, ['before', `faulty ${topic}`, 'after'])
  const next = await client.events.poll('rows.all', { arguments: args, cursor })
  expect(textsOf(next.events)).toEqual(['before', 'after'])
  expect(next.truncated).toBe(true)
})

it('poll-response-cursor: continues after the last event that was returned', async () => {
  const { client, topic } = await person()
  const args = { topic }
  let { cursor } = await client.events.poll('rows.all', { arguments: args })
  const received: unknown[] = []
  for (const text of ['a', 'b', 'c']) {
    await emitAll(topic, [text])
    const result = await client.events.poll('rows.all', { arguments: args, cursor })
    received.push(...textsOf(result.events))
    cursor = result.cursor
  }
  expect(received).toEqual(['a', 'b', 'c'])
})

it('poll-next-poll-ms: is a number of milliseconds in every result', async () => {
  const { client } = await person()
  for (const type of ['rows.all', 'rows.poll', 'rows.plain']) {
    expect((await client.events.poll(type)).nextPollMs).toBe(30_000)
  }
})

it('poll-next-poll-ms-ignored-when-has-more: a poll at once after hasMore returns the rest', async () => {
  const { client, topic } = await person()
  const args = { topic }
  const { cursor } = await client.events.poll('rows.all', { arguments: args })
  await emitAll(topic, ['a', 'b'])
  const part = await client.events.poll('rows.all', { arguments: args, cursor, maxEvents: 1 })
  expect(part.hasMore).toBe(true)
  const rest = await client.events.poll('rows.all', { arguments: args, cursor: part.cursor })
  expect(textsOf(rest.events)).toEqual(['b'])
})

it('poll-has-more: is true while events are left, and false after the last one', async () => {
  const { client, topic } = await person()
  const args = { topic }
  let { cursor } = await client.events.poll('rows.all', { arguments: args })
  await emitAll(topic, ['a', 'b', 'c'])
  const seen: [unknown[], boolean][] = []
  for (let hasMore = true; hasMore; ) {
    const result = await client.events.poll('rows.all', { arguments: args, cursor, maxEvents: 2 })
    seen.push([textsOf(result.events), result.hasMore])
    ;({ cursor, hasMore } = result)
  }
  expect(seen).toEqual([
    [['a', 'b'], true],
    [['c'], false],
  ])
})

it('poll-max-events-cap: returns at most maxEvents, and its own number without it', async () => {
  const { client, topic } = await person()
  const args = { topic }
  const { cursor } = await client.events.poll('rows.all', { arguments: args })
  const texts = Array.from({ length: 105 }, (_, place) => String(place))
  await emitAll(topic, texts)
  const one = await client.events.poll('rows.all', { arguments: args, cursor, maxEvents: 1 })
  expect([textsOf(one.events), one.hasMore]).toEqual([['0'], true])
  const many = await client.events.poll('rows.all', { arguments: args, cursor })
  expect([textsOf(many.events), many.hasMore]).toEqual([texts.slice(0, 100), true])
})

it('poll-has-more: reads at most 2,000 occurrences for others, and the next poll continues after them', async () => {
  const { client, subject } = await person()
  const type = 'rows.poll'
  let { cursor } = await client.events.poll(type)
  await emitFor('another', 2100, type)
  await rowsEvents().emit(type, { topic: 'any', text: 'own' }, { subject })
  const seen: [unknown[], boolean][] = []
  for (let hasMore = true; hasMore; ) {
    const result = await client.events.poll(type, { cursor })
    seen.push([textsOf(result.events), result.hasMore])
    ;({ cursor, hasMore } = result)
  }
  expect(seen).toEqual([
    [[], true],
    [['own'], false],
  ])
})

it.each([0, -1, 1.5, '2'])('poll-max-events-cap: refuses maxEvents of %j', async (maxEvents) => {
  const { client } = await person()
  const refused = await refusal(client.request('events/poll', { name: 'rows.all', maxEvents }))
  expect(refused.code).toBe(CODES.invalidParams)
})

it('poll-stateless-request: the same cursor returns the same events twice', async () => {
  const { client, topic } = await person()
  const args = { topic }
  const { cursor } = await client.events.poll('rows.all', { arguments: args })
  await emitAll(topic, ['a', 'b'])
  const poll = () => client.events.poll('rows.all', { arguments: args, cursor })
  expect((await poll()).events).toEqual((await poll()).events)
  expect(textsOf((await poll()).events)).toEqual(['a', 'b'])
})

it('poll-errors-are-jsonrpc: a refused poll is a JSON-RPC error with the id of its request', async () => {
  const { body } = await rawApp().modern(
    'events/poll',
    { name: 'rows.unknown' },
    { id: 'seven', headers: authorized('ada') },
  )
  expect(body).toEqual({
    jsonrpc: '2.0',
    id: 'seven',
    error: { code: CODES.notFound, message: 'NotFound', data: { kind: 'event' } },
  })
})

it.each([
  [{ arguments: { level: 'high' } }],
  [{ arguments: 'none' }],
  [{ arguments: [] }],
  [{ name: undefined }],
  [{ name: 7 }],
  [{ cursor: 7 }],
  [{ maxAgeMs: 'long' }],
])('poll-invalid-arguments: refuses %j as InvalidParams', async (params) => {
  const { client } = await person()
  const refused = await refusal(client.request('events/poll', { name: 'rows.all', ...params }))
  expect(refused.code).toBe(CODES.invalidParams)
})

it('poll-mode-unsupported: answers a type without poll with Unsupported and the mode', async () => {
  const { client } = await person()
  const refused = await refusal(client.events.poll('rows.push'))
  expect(refused).toMatchObject({
    code: CODES.unsupported,
    data: { feature: 'deliveryMode', value: 'poll' },
  })
})

it('removal-poll-not-found: answers a name that no type has with NotFound', async () => {
  const { client } = await person()
  const refused = await refusal(client.events.poll('rows.never', { cursor: 'any' }))
  expect(refused).toMatchObject({ code: CODES.notFound, data: { kind: 'event' } })
})
