/** Rows of the scenario events-webhook-delivery about attempts that fail. */
// features: events
import { expect, it } from 'vitest'
import { emit, pass, runAlarms, subscriber } from '../support/rows.ts'
import { RETRY_DELAYS_MS } from '../support/rows-server.ts'

/** Times between attempts vary by 20 %. */
const afterRetry = (delayMs: number) => pass(delayMs * 1.3)

it('delivery-retry-regenerates-signature: a retry has the same id, another timestamp and its own signature', async () => {
  const { callback, topic } = await subscriber()
  callback.answerEvents({ status: 503 }, { status: 503 }, 'accept')
  const { eventId } = await emit(topic, 'a')
  const attempts = [await callback.next()]
  for (const delay of RETRY_DELAYS_MS.slice(0, 2)) {
    await afterRetry(delay)
    attempts.push(await callback.next())
  }
  expect(attempts.map(({ id, status }) => [id, status])).toEqual([
    [eventId, 503],
    [eventId, 503],
    [eventId, 204],
  ])
  for (const header of ['webhook-timestamp', 'webhook-signature']) {
    expect(new Set(attempts.map(({ headers }) => headers.get(header))).size).toBe(3)
  }
  expect(attempts.every(({ verifiedBy }) => verifiedBy.length === 1)).toBe(true)
})

it.each([410, 413])(
  'delivery-%i-non-retryable: the event is not sent again, and the next one is',
  async (status) => {
    const { callback, topic } = await subscriber()
    callback.answerEvents({ status }, 'accept')
    const { eventId } = await emit(topic, 'refused')
    await callback.next()
    for (const delay of RETRY_DELAYS_MS) await afterRetry(delay)
    await emit(topic, 'next')
    await runAlarms()
    expect((await callback.next()).event?.data).toMatchObject({ text: 'next' })
    expect(callback.deliveries.filter(({ id }) => id === eventId)).toHaveLength(1)
  },
)

it('delivery-retries-bounded: an event is given up after the last retry, and the next refresh reports the loss', async () => {
  const { client, callback, topic, args } = await subscriber()
  callback.answerEvents({ status: 500 })
  const { eventId } = await emit(topic, 'lost')
  await callback.next()
  for (const delay of [...RETRY_DELAYS_MS, 60_000, 600_000]) await afterRetry(delay)
  const attempts = callback.deliveries.filter(({ id }) => id === eventId)
  expect(attempts).toHaveLength(RETRY_DELAYS_MS.length + 1)
  callback.answerEvents('accept')
  const refreshed = await client.events.subscribe('rows.all', { callback, arguments: args })
  expect(refreshed.truncated).toBe(true)
  const again = await client.events.subscribe('rows.all', { callback, arguments: args })
  expect(again.truncated).toBe(false)
})

it('delivery-retries-bounded: the cursor of a delivery does not pass an event that is still retried', async () => {
  const { client, callback, topic, args } = await subscriber()
  const before = await client.events.poll('rows.all', { arguments: args })
  callback.answerEvents({ status: 503 }, 'accept')
  await emit(topic, 'retried')
  await callback.next()
  await emit(topic, 'passes')
  const { event } = await callback.next()
  const missed = await client.events.poll('rows.all', {
    arguments: args,
    cursor: event?.cursor ?? null,
  })
  expect(missed.events.map(({ data }) => data.text)).toEqual(['retried', 'passes'])
  await afterRetry(RETRY_DELAYS_MS[0] as number)
  expect((await callback.next()).event?.data).toMatchObject({ text: 'retried' })
  const { cursor } = await client.events.subscribe('rows.all', { callback, arguments: args })
  const rest = await client.events.poll('rows.all', { arguments: args, cursor })
  expect([rest.events, before.events]).toEqual([[], []])
})
