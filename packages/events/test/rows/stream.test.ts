/** Rows stream-* of the scenario events-push, except for heartbeats. */
// features: events
import { expect, it } from 'vitest'
import { advanceClock } from '../../../../test/support/clock.ts'
import { modernRequest } from '../../../../test/support/test-app.ts'
import { eventsOf, type WireMessage } from '../../../testing/src/wire-message.ts'
import {
  authorized,
  CODES,
  emit,
  emitAll,
  openStream,
  person,
  rawApp,
  refusal,
  textsOf,
} from '../support/rows.ts'
import { rowsEvents, switches } from '../support/rows-server.ts'

const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId'

function post(subject: string, params: Record<string, unknown>, id: string | number = 1) {
  const { body, headers } = modernRequest('events/stream', params, { id })
  return rawApp().post(body, { ...headers, ...authorized(subject) })
}

/** The messages of a stream until the server ends it, or until there are as many as asked for. */
async function messagesOf(response: Response, count = Number.POSITIVE_INFINITY) {
  const messages: WireMessage[] = []
  for await (const { data } of eventsOf(response.body as ReadableStream<Uint8Array>)) {
    messages.push(JSON.parse(data))
    if (messages.length >= count) break
  }
  return messages
}

it('stream-implemented: events/stream is answered with an SSE stream', async () => {
  const response = await post('ada', { name: 'rows.all', arguments: {}, cursor: null })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
  await response.body?.cancel()
})

it.each([
  ['an unknown type', { name: 'rows.unknown' }, CODES.notFound],
  ['a name that no text can be made of', { name: { toString: 0 } }, CODES.invalidParams],
  ['a type without push', { name: 'rows.poll' }, CODES.unsupported],
  ['arguments that the schema refuses', { arguments: { level: 'high' } }, CODES.invalidParams],
  ['arguments that the caller may not have', { arguments: { topic: 'secret' } }, CODES.forbidden],
])(
  'stream-error-before-open: answers %s with a JSON-RPC error and no stream',
  async (_, params, code) => {
    const response = await post('ada', { name: 'rows.all', ...params }, 'x')
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: 'x', error: { code } })
  },
)

it('stream-active-confirmation: the first message is `active` with cursor and truncated', async () => {
  const response = await post('ada', { name: 'rows.all', arguments: {}, cursor: null }, 'first')
  const [message] = await messagesOf(response, 1)
  expect(message).toEqual({
    jsonrpc: '2.0',
    method: 'notifications/events/active',
    params: {
      cursor: expect.any(String),
      truncated: false,
      _meta: { [SUBSCRIPTION_ID]: 'first' },
    },
  })
})

it.each(['a text', 0, 7])(
  'stream-subscription-id-meta: every message has the id %j of its request',
  async (id) => {
    const { subject, topic } = await person()
    const response = await post(subject, { name: 'rows.all', arguments: { topic } }, id)
    await emit(topic, 'a')
    const messages = await messagesOf(response, 3)
    expect(messages.map(({ params }) => params?._meta)).toEqual(
      messages.map(() => ({ [SUBSCRIPTION_ID]: id })),
    )
  },
)

it('stream-event-notification: an event is `notifications/events/event` with the occurrence as params', async () => {
  const who = await person()
  const stream = await openStream(who)
  const { eventId } = await emit(who.topic, 'a')
  expect(await stream.next()).toEqual({
    eventId,
    name: 'rows.all',
    timestamp: expect.any(String),
    data: { topic: who.topic, text: 'a' },
    cursor: expect.any(String),
    _meta: { [SUBSCRIPTION_ID]: expect.any(Number) },
  })
})

it('stream-error-is-recoverable: a fault of the upstream is an `error`, and later events arrive', async () => {
  const who = await person()
  const stream = await openStream(who)
  await rowsEvents().reportFault('rows.all', 'the upstream answered 503')
  await emit(who.topic, 'after')
  expect((await stream.nextMessage('error')).error).toMatchObject({
    code: -32_603,
    message: 'UpstreamError',
    data: { reason: 'the upstream answered 503' },
  })
  expect(textsOf([await stream.next()])).toEqual(['after'])
})

it('stream-error-is-recoverable: an event whose transform throws is an `error` without its message', async () => {
  const who = await person()
  const stream = await openStream(who)
  switches.faulty.add(`faulty ${who.topic}`)
  await emitAll(who.topic, [`faulty ${who.topic}`, 'after'])
  const { error } = await stream.nextMessage('error')
  expect(error).toMatchObject({ code: -32_603, message: 'UpstreamError' })
  expect(JSON.stringify(error)).not.toContain('The upstream has failed')
  expect(textsOf([await stream.next()])).toEqual(['after'])
})

it('stream-terminated-ends-subscription: `terminated` has the reason, and the server closes the stream', async () => {
  const who = await person()
  const stream = await openStream(who, 'rows.ended')
  await rowsEvents().terminate('rows.ended', 'The source was closed')
  expect((await stream.nextMessage('terminated')).error).toEqual({
    code: CODES.forbidden,
    message: 'Forbidden',
    data: { reason: 'The source was closed' },
  })
  expect((await stream.ended).result).toBeDefined()
})

it('stream-terminated-ends-subscription: an event before the end is delivered to a stream that reads both at once', async () => {
  const who = await person()
  const { cursor } = await (await openStream(who, 'rows.ended')).nextMessage('active')
  const params = { name: 'rows.ended', arguments: { topic: who.topic }, cursor }
  switches.held.add(who.topic)
  const response = post(who.subject, params)
  await emit(who.topic, 'before', 'rows.ended')
  await rowsEvents().terminate('rows.ended', 'The source was closed')
  switches.held.delete(who.topic)
  const messages = await messagesOf(await response)
  expect(messages.map(({ method }) => method?.split('/').at(-1))).toEqual([
    'active',
    'event',
    'terminated',
    undefined,
  ])
})

it('stream-terminated-ends-subscription: a stream that begins later receives what was before the end, and goes on', async () => {
  const who = await person()
  const { cursor } = await openStream(who, 'rows.ended')
  await emit(who.topic, 'before', 'rows.ended')
  await rowsEvents().reportFault('rows.ended', 'the upstream answered 503')
  await rowsEvents().terminate('rows.ended', 'The source was closed')
  advanceClock(1)
  const later = await openStream(who, 'rows.ended', cursor)
  await emit(who.topic, 'after', 'rows.ended')
  expect(textsOf([await later.next(), await later.next()])).toEqual(['before', 'after'])
  expect(later.messages.map(({ kind }) => kind)).toEqual(['active', 'event', 'event'])
})

it('stream-gap-resends-active: a gap is a second `active` with truncated and a newer cursor, and later events arrive', async () => {
  const who = await person()
  const stream = await openStream(who)
  const first = await stream.nextMessage('active')
  await rowsEvents().gap('rows.all')
  await emit(who.topic, 'after')
  const second = await stream.nextMessage('active')
  expect(second).toMatchObject({ truncated: true, cursor: expect.any(String) })
  expect(second.cursor).not.toBe(first.cursor)
  expect(textsOf([await stream.next()])).toEqual(['after'])
})

it('stream-final-result-shape: the result has resultType and the id of its request, and nothing else', async () => {
  const { subject, topic } = await person()
  const response = await post(subject, { name: 'rows.ended', arguments: { topic } }, 'last')
  await rowsEvents().terminate('rows.ended', 'The source was closed')
  const last = (await messagesOf(response)).at(-1)
  expect([last?.id, Object.keys(last?.result ?? {}).sort()]).toEqual([
    'last',
    ['_meta', 'resultType'],
  ])
  expect(last?.result).toMatchObject({
    resultType: 'complete',
    _meta: { [SUBSCRIPTION_ID]: 'last' },
  })
})

it('stream-final-result-timing: the result is the last message, after `terminated`', async () => {
  const { subject, topic } = await person()
  const response = await post(subject, { name: 'rows.ended', arguments: { topic } })
  await rowsEvents().terminate('rows.ended', 'The source was closed')
  const [before, last] = (await messagesOf(response)).slice(-2)
  expect(before?.method).toBe('notifications/events/terminated')
  expect(last).toHaveProperty('result')
})

it('stream-cancel-stops-delivery: a stream that its client has left counts no more, and receives no event', async () => {
  const who = await person()
  for (let opened = 0; opened < 8; opened++) {
    const stream = await openStream(who)
    stream.close()
    await stream.ended
    await emit(who.topic, 'after')
    expect(stream.messages.filter(({ kind }) => kind === 'event')).toEqual([])
    // The object notices that the socket is closed.
    await expect
      .poll(() => openStream(who).then((next) => next.close(), refusedAsFull))
      .not.toBe('full')
  }
})

function refusedAsFull({ code }: { readonly code?: number }): 'full' {
  expect(code).toBe(CODES.resourceExhausted)
  return 'full'
}

it('stream-exempt-from-concurrency-cap: several streams of one caller are open at one time', async () => {
  const who = await person()
  const streams = await Promise.all([openStream(who), openStream(who), openStream(who)])
  await emit(who.topic, 'a')
  for (const stream of streams) expect(textsOf([await stream.next()])).toEqual(['a'])
})

it('stream-carries-only-event-notifications: has no message but notifications/events/*', async () => {
  const who = await person()
  const stream = await openStream(who)
  await emit(who.topic, 'a')
  await rowsEvents().gap('rows.all')
  await stream.nextMessage('heartbeat')
  await stream.next()
  const kinds = ['active', 'event', 'heartbeat', 'error', 'terminated']
  expect(stream.messages.filter(({ kind }) => !kinds.includes(kind))).toEqual([])
})

it('stream-carries-only-event-notifications: has events for its own arguments alone', async () => {
  const who = await person()
  const stream = await openStream(who)
  await emit('a topic of others', 'other')
  await emit(who.topic, 'own')
  expect(textsOf([await stream.next()])).toEqual(['own'])
  expect((await refusal(stream.next(HALF_SECOND_MS))).message).toContain('No event arrived')
})

const HALF_SECOND_MS = 500
