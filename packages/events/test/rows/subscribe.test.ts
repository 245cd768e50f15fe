/** Rows subscribe-* of the scenario events-webhook: what is accepted, and what the answer has. */
// features: events
import { expect, it } from 'vitest'
import { advanceClock } from '../../../../test/support/clock.ts'
import { connect } from '../../../testing/src/index.ts'
import { eventsAlone } from '../support/events-alone.ts'
import {
  CODES,
  emit,
  pass,
  person,
  principalOf,
  receiver,
  refusal,
  runAlarms,
  subscriber,
} from '../support/rows.ts'
import { rowsEnv, rowsEvents } from '../support/rows-server.ts'

const SECRET = `whsec_${new Uint8Array(32).toBase64()}`

function delivery(changed: Record<string, unknown>) {
  return { mode: 'webhook', url: 'https://receiver.example/hook', secret: SECRET, ...changed }
}

async function refusedCode(changed: Record<string, unknown>) {
  const { client } = await person()
  const params = { name: 'rows.all', arguments: {}, delivery: delivery(changed) }
  return (await refusal(client.request('events/subscribe', params))).code
}

it('subscribe-webhook-only: refuses every other mode as Unsupported', async () => {
  const { client } = await person()
  for (const mode of ['poll', 'push', 'carrier pigeon']) {
    const params = { name: 'rows.all', arguments: {}, delivery: delivery({ mode }) }
    const refused = await refusal(client.request('events/subscribe', params))
    expect(refused).toMatchObject({
      code: CODES.unsupported,
      data: { feature: 'deliveryMode', value: mode },
    })
  }
})

it('subscribe-secret-required: refuses a subscription without a secret as InvalidParams', async () => {
  expect(await refusedCode({ secret: undefined })).toBe(CODES.invalidParams)
})

it.each([24, 32, 64])(
  'subscribe-secret-format: accepts whsec_ and the base64 of %i bytes',
  async (bytes) => {
    const { client, topic } = await person()
    const secret = `whsec_${crypto.getRandomValues(new Uint8Array(bytes)).toBase64()}`
    const callback = receiver()
    callback.rotate(secret)
    const { id } = await client.events.subscribe('rows.all', {
      callback: { url: callback.url, secret },
      arguments: { topic },
    })
    expect(id).toMatch(/^sub_/)
    expect(callback.deliveries[0]?.verifiedBy).toEqual([secret])
  },
)

it.each([
  'not-a-standard-webhooks-secret',
  `whsec_${new Uint8Array(8).toBase64()}`,
  `whsec_${new Uint8Array(23).toBase64()}`,
  `whsec_${new Uint8Array(65).toBase64()}`,
  'whsec_',
  'whsec_****************************************',
  new Uint8Array(32).toBase64(),
  7,
])('subscribe-secret-rejected: refuses the secret %j as InvalidParams', async (secret) => {
  expect(await refusedCode({ secret })).toBe(CODES.invalidParams)
})

it('subscribe-url-https-required: accepts an absolute https URL with its query', async () => {
  const { client, topic } = await person()
  const callback = receiver(`https://receiver.example/hook/${topic}?key=a%20b&KEY=%c3%a9`)
  await client.events.subscribe('rows.all', { callback, arguments: { topic } })
  await emit(topic, 'a')
  expect((await callback.next()).url).toBe(callback.url)
})

it.each([
  'http://receiver.example/hook',
  'ftp://receiver.example/hook',
  '/hook',
  'receiver.example',
  '',
  7,
  undefined,
])('subscribe-url-non-https-rejected: refuses the URL %j as InvalidParams', async (url) => {
  expect(await refusedCode({ url })).toBe(CODES.invalidParams)
})

it('subscribe-auth-required: answers a caller without a principal with Forbidden', async () => {
  const client = await connect(eventsAlone(), { env: { ...rowsEnv } })
  const callback = receiver()
  const subscribed = await refusal(client.events.subscribe('rows.all', { callback }))
  const unsubscribed = await refusal(client.events.unsubscribe('rows.all', { callback }))
  expect([subscribed.code, unsubscribed.code]).toEqual([CODES.forbidden, CODES.forbidden])
  expect(callback.deliveries).toEqual([])
})

it('subscribe-response-cursor: has a cursor, with which a poll continues', async () => {
  const { client, topic } = await person()
  const callback = receiver()
  const args = { topic }
  const { cursor } = await client.events.subscribe('rows.all', { callback, arguments: args })
  await emit(topic, 'a')
  const { events } = await client.events.poll('rows.all', { arguments: args, cursor })
  expect(events).toHaveLength(1)
})

it('subscribe-response-truncated: is false, and true for a cursor whose events are lost', async () => {
  const { client, topic } = await person()
  const options = { callback: receiver(), arguments: { topic } }
  expect((await client.events.subscribe('rows.all', options)).truncated).toBe(false)
  const late = { callback: receiver(), arguments: { topic }, cursor: 'made up' }
  expect((await client.events.subscribe('rows.all', late)).truncated).toBe(true)
})

it('subscribe-refresh-replaces-secret: signs with the new secret of a refresh, and in the end with it alone', async () => {
  const { client, topic, callback, args } = await subscriber()
  const earlier = callback.secret
  const later = callback.rotate()
  await client.events.subscribe('rows.all', { callback, arguments: args })
  await emit(topic, 'a')
  expect((await callback.next()).verifiedBy).toEqual([earlier, later])
  advanceClock(700_000)
  await emit(topic, 'b')
  await runAlarms()
  expect((await callback.next()).verifiedBy).toEqual([later])
})

it('subscribe-refresh-reactivates: a refresh resumes a suspended subscription and its pending events', async () => {
  const { client, topic, callback, args, subject } = await subscriber()
  callback.answerEvents({ status: 500 })
  for (let sent = 0; sent < 100; sent++) await emit(topic, String(sent))
  const state = async () => (await rowsEvents().subscriptions(principalOf(subject)))[0]?.state
  for (let round = 0; round < 10 && (await state()) !== 'suspended'; round++) {
    await pass(10_000)
  }
  expect(await state()).toBe('suspended')
  callback.answerEvents('accept')
  const before = callback.deliveries.length
  await pass(60_000)
  expect(callback.deliveries.length).toBe(before)
  const refreshed = await client.events.subscribe('rows.all', { callback, arguments: args })
  expect(refreshed.deliveryStatus).toMatchObject({ active: false, lastError: 'http_5xx' })
  expect(await state()).toBe('active')
  await expect.poll(() => callback.events.length).toBeGreaterThan(0)
})
