/** Rows ttl-* and unsubscribe-* of the scenario events-webhook. */
// features: events
import { expect, it } from 'vitest'
import {
  CODES,
  emit,
  pass,
  person,
  principalOf,
  receiver,
  refusal,
  restart,
  runAlarms,
  subscriber,
  textsOf,
} from '../support/rows.ts'
import { DEFAULT_TTL_MS, MAX_TTL_MS, rowsEvents } from '../support/rows-server.ts'

const HOUR_MS = 3_600_000

async function granted(ttlMs?: unknown) {
  const { client } = await person()
  const callback = receiver()
  const delivery = { mode: 'webhook', url: callback.url, secret: callback.secret }
  const params = {
    name: 'rows.all',
    arguments: {},
    delivery,
    ...(ttlMs !== undefined && { ttlMs }),
  }
  const before = Date.now()
  const { refreshBefore } = await client.request('events/subscribe', params)
  if (refreshBefore === null) return null
  return Math.round((Date.parse(String(refreshBefore)) - before) / 10_000) * 10_000
}

it('ttl-refresh-before-lte-suggestion: grants what was suggested, as an absolute time', async () => {
  expect(await granted(HOUR_MS)).toBe(HOUR_MS)
})

it.each([
  [0, 60_000],
  [1000, 60_000],
  [-5, 60_000],
  [30 * 24 * HOUR_MS, MAX_TTL_MS],
  [1e300, MAX_TTL_MS],
  ['an hour', DEFAULT_TTL_MS],
  [{}, DEFAULT_TTL_MS],
])('ttl-no-rejection-path: grants a ttlMs of %j without an error', async (ttlMs, expected) => {
  expect(await granted(ttlMs)).toBe(expected)
})

it('ttl-null-only-when-requested: has no expiry for null alone', async () => {
  expect(await granted(null)).toBeNull()
  expect(await granted(1e300)).not.toBeNull()
  expect(await granted()).not.toBeNull()
})

it('ttl-omitted-means-default: grants the default of the server without ttlMs', async () => {
  expect(await granted()).toBe(DEFAULT_TTL_MS)
})

it('ttl-long-grant-retained: a subscription of a day receives after a restart, until its expiry', async () => {
  const { client, topic } = await person()
  const callback = receiver()
  const options = { callback, arguments: { topic }, ttlMs: MAX_TTL_MS }
  await client.events.subscribe('rows.all', options)
  await restart()
  await pass(MAX_TTL_MS - 60_000)
  await emit(topic, 'late')
  await runAlarms()
  expect((await callback.next()).event?.data).toMatchObject({ text: 'late' })
  await pass(120_000)
  await emit(topic, 'too late')
  await runAlarms()
  expect(textsOf(callback.events)).toEqual(['late'])
})

it('ttl-no-expiry-persisted: a subscription without expiry receives after a restart a year later', async () => {
  const { client, topic } = await person()
  const callback = receiver()
  const options = { callback, arguments: { topic }, ttlMs: null }
  expect((await client.events.subscribe('rows.all', options)).refreshBefore).toBeNull()
  await restart()
  await pass(365 * 24 * HOUR_MS)
  await emit(topic, 'a year later')
  await runAlarms()
  expect((await callback.next()).event?.data).toMatchObject({ text: 'a year later' })
})

it('ttl-no-expiry-gc-terminated: a subscription without expiry that the server ends receives `terminated` once', async () => {
  const { client, topic, subject } = await person()
  const callback = receiver()
  const options = { callback, arguments: { topic }, ttlMs: null }
  const { id } = await client.events.subscribe('rows.all', options)
  expect(
    await rowsEvents().endSubscription(id, 'It has failed for days', principalOf(subject)),
  ).toBe(true)
  expect((await callback.next()).envelope).toMatchObject({
    type: 'terminated',
    error: { code: CODES.forbidden, data: { reason: 'It has failed for days' } },
  })
  expect(await rowsEvents().subscriptions(principalOf(subject))).toEqual([])
})

it('unsubscribe-by-key: ends the subscription of type, URL and arguments at once, pending retries too', async () => {
  const { client, topic, callback, args } = await subscriber()
  callback.answerEvents({ status: 503 }, 'accept')
  await emit(topic, 'retried')
  await callback.next()
  await client.events.unsubscribe('rows.all', { callback, arguments: args })
  await emit(topic, 'later')
  await pass(60_000)
  expect(callback.events).toEqual([])
})

it('unsubscribe-by-key: accepts a key whose subscription has ended already', async () => {
  const { client, callback, args } = await subscriber()
  const options = { callback, arguments: args }
  await client.events.unsubscribe('rows.all', options)
  await client.events.unsubscribe('rows.all', options)
})

it('unsubscribe-unknown-not-found: answers a key that never was with NotFound', async () => {
  const { client, callback, topic } = await subscriber()
  for (const options of [
    { callback: { url: 'https://receiver.example/never' }, arguments: { topic } },
    { callback, arguments: { topic: 'another' } },
  ]) {
    const refused = await refusal(client.events.unsubscribe('rows.all', options))
    expect(refused).toMatchObject({ code: CODES.notFound, data: { kind: 'subscription' } })
  }
  const refused = await refusal(client.events.unsubscribe('rows.gone', { callback }))
  expect(refused.code).toBe(CODES.notFound)
})
