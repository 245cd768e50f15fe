/** Rows delivery-* of the scenario events-webhook-delivery: the request of one delivery. */
// features: events
import { expect, it } from 'vitest'
import { emit, pass, rawApp, refusal, subscriber } from '../support/rows.ts'

async function signature(secret: string, content: string): Promise<string> {
  const raw = Uint8Array.fromBase64(secret.slice('whsec_'.length))
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', raw, algorithm, false, ['sign'])
  const bytes = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(content))
  return `v1,${new Uint8Array(bytes).toBase64()}`
}

it('delivery-post-json: is a POST of application/json with one event', async () => {
  const { callback, topic } = await subscriber()
  const { eventId } = await emit(topic, 'a')
  const { method, headers, body } = await callback.next()
  expect([method, headers.get('content-type')]).toEqual(['POST', 'application/json'])
  expect(JSON.parse(body)).toEqual({
    eventId,
    name: 'rows.all',
    timestamp: expect.any(String),
    data: { topic, text: 'a' },
    cursor: expect.any(String),
  })
})

it('delivery-standard-webhooks-headers: has the id of the event, seconds, and a signature', async () => {
  const { callback, topic } = await subscriber()
  const before = Math.floor(Date.now() / 1000)
  const { eventId } = await emit(topic, 'a')
  const { headers } = await callback.next()
  expect(headers.get('webhook-id')).toBe(eventId)
  expect(headers.get('webhook-timestamp')).toMatch(/^\d{10}$/)
  expect(Number(headers.get('webhook-timestamp'))).toBeGreaterThanOrEqual(before)
  expect(headers.get('webhook-signature')).toMatch(/^v1,[A-Za-z0-9+/]{43}=$/)
})

it('delivery-subscription-id-header: has the id of the answer to the subscription, and no other header of MCP', async () => {
  const { callback, topic, id } = await subscriber()
  await emit(topic, 'a')
  const { headers } = await callback.next()
  expect(headers.get('x-mcp-subscription-id')).toBe(id)
  const names = [...headers.keys()].filter((name) => /mcp|authorization|cookie/.test(name))
  expect(names).toEqual(['x-mcp-subscription-id'])
})

it('delivery-signature-formula: signs id, timestamp and the bytes of the body with the decoded secret', async () => {
  const { callback, topic } = await subscriber()
  await emit(topic, 'Zürich 🎉 \u2028')
  const { headers, body, id } = await callback.next()
  const content = `${id}.${headers.get('webhook-timestamp')}.${body}`
  expect(headers.get('webhook-signature')).toBe(await signature(callback.secret, content))
})

it('delivery-dual-sign-on-rotation: signs with both secrets after a refresh, the challenge with the new one', async () => {
  const { client, callback, topic, args } = await subscriber()
  const earlier = callback.secret
  const later = callback.rotate()
  await client.events.subscribe('rows.all', { callback, arguments: args })
  await emit(topic, 'a')
  const { verifiedBy, headers } = await callback.next()
  expect(verifiedBy).toEqual([earlier, later])
  expect(headers.get('webhook-signature')?.split(' ')).toHaveLength(2)
  const challenges = callback.deliveries.filter(({ kind }) => kind === 'verification')
  expect(challenges.at(-1)?.verifiedBy).toEqual([later])
})

it('delivery-body-size: refuses an event whose delivery would be above 256 KiB, and delivers one below', async () => {
  const { callback, topic } = await subscriber()
  const refused = await refusal(emit(topic, 'x'.repeat(262_144)))
  expect(refused).toMatchObject({ reason: 'too-large' })
  await emit(topic, 'x'.repeat(250_000))
  const { body, status } = await callback.next()
  expect(status).toBe(204)
  expect(body.length).toBeLessThanOrEqual(262_144)
})

it('delivery-status-last-error-category: reports the category of the last failure, and nothing of the answer', async () => {
  const { client, callback, topic, args } = await subscriber()
  callback.answerEvents({ status: 500, body: 'a secret of the endpoint' }, 'accept')
  await emit(topic, 'a')
  await callback.next()
  const { deliveryStatus } = await client.events.subscribe('rows.all', {
    callback,
    arguments: args,
  })
  expect(deliveryStatus).toMatchObject({ active: true, lastError: 'http_5xx' })
  expect(JSON.stringify(deliveryStatus)).not.toContain('secret')
  await pass(2000)
  await expect.poll(() => callback.events.length).toBe(1)
  const later = await client.events.subscribe('rows.all', { callback, arguments: args })
  expect(later.deliveryStatus).toMatchObject({
    active: true,
    lastError: null,
    lastDeliveryAt: expect.stringMatching(/Z$/),
  })
})

it.each([
  [{ status: 404 }, 'http_4xx'],
  [{ status: 503 }, 'http_5xx'],
  ['hang', 'timeout'],
  ['unreachable', 'connection_refused'],
] as const)(
  'delivery-status-last-error-category: a callback that answers %j is in the category %s',
  async (answer, category) => {
    const { client, callback, topic, args } = await subscriber()
    callback.answerEvents(answer)
    await emit(topic, 'a')
    await callback.next()
    await expect
      .poll(async () => {
        const options = { callback, arguments: args }
        return (await client.events.subscribe('rows.all', options)).deliveryStatus?.lastError
      })
      .toBe(category)
  },
)

it('server-identity-key-discovery: signs with the shared secret alone, and publishes no key', async () => {
  const { callback, topic } = await subscriber()
  await emit(topic, 'a')
  const { headers } = await callback.next()
  expect(headers.get('webhook-signature')).not.toContain('v1a')
  const url = 'https://rows.example.com/.well-known/mcp-webhook-jwks.json'
  expect((await rawApp().fetch(new Request(url))).status).toBe(404)
})

it('payload-minimality: delivers the data that the author has emitted, without data of others', async () => {
  const one = await subscriber()
  const two = await subscriber()
  await emit(one.topic, 'one')
  await emit(two.topic, 'two')
  expect((await one.callback.next()).event?.data).toEqual({ topic: one.topic, text: 'one' })
  expect((await two.callback.next()).event?.data).toEqual({ topic: two.topic, text: 'two' })
})
