/** Rows envelope-* of the scenario events-webhook-delivery. */
// features: events
import { expect, it } from 'vitest'
import { advanceClock } from '../../../../test/support/clock.ts'
import type { ReceivedDelivery } from '../../../testing/src/index.ts'
import {
  CODES,
  emit,
  pass,
  principalOf,
  refusal,
  runAlarms,
  subscriber,
  textsOf,
} from '../support/rows.ts'
import { rowsEvents } from '../support/rows-server.ts'

/** Every kind of delivery, to one subscription. */
async function everyKind(): Promise<readonly ReceivedDelivery[]> {
  const { callback, topic, id, subject } = await subscriber()
  await emit(topic, 'a')
  await callback.next()
  await rowsEvents().gap('rows.all')
  await callback.next()
  await rowsEvents().endSubscription(id, 'Access revoked', principalOf(subject))
  await callback.next()
  return callback.deliveries
}

it('envelope-type-discriminator: a control envelope has a type, and an event has none', async () => {
  const bodies = (await everyKind()).map(({ body }) => JSON.parse(body))
  expect(bodies.map(({ type }) => type)).toEqual(['verification', undefined, 'gap', 'terminated'])
  expect(bodies.map(({ eventId }) => typeof eventId)).toEqual([
    'undefined',
    'string',
    'undefined',
    'undefined',
  ])
})

it('envelope-signed-like-deliveries: an envelope has the headers and the signature of an event', async () => {
  const deliveries = await everyKind()
  expect(deliveries.map(({ problem, verifiedBy }) => [problem, verifiedBy.length])).toEqual(
    deliveries.map(() => [undefined, 1]),
  )
  expect(new Set(deliveries.map(({ subscriptionId }) => subscriptionId)).size).toBe(1)
})

it('envelope-webhook-id-format: an envelope has an id of its type, which is its own', async () => {
  const ids = (await everyKind()).filter(({ event }) => event === undefined).map(({ id }) => id)
  expect(ids).toEqual([
    expect.stringMatching(/^msg_verification_[\w-]{16,}$/),
    expect.stringMatching(/^msg_gap_[\w-]{16,}$/),
    expect.stringMatching(/^msg_terminated_[\w-]{16,}$/),
  ])
})

it('envelope-webhook-id-format: a retry of an envelope has the same id', async () => {
  const { callback } = await subscriber()
  callback.answerEvents({ status: 503 }, 'accept')
  await rowsEvents().gap('rows.all')
  const first = await callback.next()
  await pass(2000)
  const second = await callback.next()
  expect([second.kind, second.id, second.status]).toEqual(['gap', first.id, 204])
})

it('envelope-gap: has a cursor with which a client continues after the gap', async () => {
  const { client, callback, topic, args } = await subscriber()
  await emit(topic, 'before')
  await callback.next()
  await rowsEvents().gap('rows.all')
  const { envelope } = await callback.next()
  expect(envelope).toEqual({ type: 'gap', cursor: expect.any(String) })
  await emit(topic, 'after')
  const cursor = String(envelope?.cursor)
  const { events, truncated } = await client.events.poll('rows.all', { arguments: args, cursor })
  expect([textsOf(events), truncated]).toEqual([['after'], false])
})

it('envelope-gap: is not sent to a type without replay', async () => {
  const { callback, topic } = await subscriber('rows.plain')
  await rowsEvents().gap('rows.plain')
  await emit(topic, 'after', 'rows.plain')
  expect((await callback.next()).kind).toBe('event')
})

it('envelope-terminated: has the reason, and the subscription does not exist afterwards', async () => {
  const { client, callback, topic, id, args, subject } = await subscriber()
  await rowsEvents().endSubscription(id, 'Access revoked', principalOf(subject))
  expect((await callback.next()).envelope).toEqual({
    type: 'terminated',
    error: { code: CODES.forbidden, message: 'Forbidden', data: { reason: 'Access revoked' } },
  })
  await emit(topic, 'after')
  await runAlarms()
  expect((await refusal(callback.next(300))).message).toContain('No delivery arrived')
  // It begins anew.
  await client.events.subscribe('rows.all', { callback, arguments: args })
  await emit(topic, 'anew')
  expect((await callback.next()).event?.data).toMatchObject({ text: 'anew' })
})

it('envelope-terminated: a subscription that begins later is not ended by it, and receives what was before', async () => {
  const { client, callback, topic, args } = await subscriber('rows.ended')
  const { cursor } = await client.events.poll('rows.ended', { arguments: args })
  await emit(topic, 'before', 'rows.ended')
  await callback.next()
  await rowsEvents().terminate('rows.ended', 'The source was closed')
  await runAlarms()
  expect((await callback.next()).kind).toBe('terminated')
  advanceClock(1)
  await client.events.subscribe('rows.ended', { callback, arguments: args, cursor })
  await runAlarms()
  expect((await callback.next()).event?.data).toMatchObject({ text: 'before' })
  await emit(topic, 'after', 'rows.ended')
  expect((await callback.next()).event?.data).toMatchObject({ text: 'after' })
})
