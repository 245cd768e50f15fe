/** Rows subscribe-* of the scenario events-webhook: what identifies a subscription. */
// features: events
import { expect, it } from 'vitest'
import {
  CODES,
  emit,
  person,
  receiver,
  refusal,
  restart,
  subscriber,
  textsOf,
} from '../support/rows.ts'

it('subscribe-key-composition: person, URL, type and arguments make an id each', async () => {
  const [ada, bob] = [await person(), await person()]
  const [one, two] = [receiver(), receiver()]
  const args = { topic: ada.topic }
  const ids = [
    await ada.client.events.subscribe('rows.all', { callback: one, arguments: args }),
    await bob.client.events.subscribe('rows.all', { callback: one, arguments: args }),
    await ada.client.events.subscribe('rows.all', { callback: two, arguments: args }),
    await ada.client.events.subscribe('rows.plain', { callback: one, arguments: args }),
    await ada.client.events.subscribe('rows.all', { callback: one, arguments: {} }),
  ].map(({ id }) => id)
  expect(new Set(ids).size).toBe(5)
})

it('subscribe-key-composition: arguments are equal as JSON, in any order of their members', async () => {
  const { client, topic } = await person()
  const callback = receiver()
  const subscribe = (args: object) =>
    client.events.subscribe('rows.all', { callback, arguments: args })
  const { id } = await subscribe({ topic, level: 1 })
  expect((await subscribe({ level: 1, topic })).id).toBe(id)
  expect((await subscribe({ topic, level: 2 })).id).not.toBe(id)
})

it('subscribe-key-composition: absent arguments are the same as none', async () => {
  const { client } = await person()
  const callback = receiver()
  const { id } = await client.events.subscribe('rows.all', { callback })
  expect((await client.events.subscribe('rows.all', { callback, arguments: {} })).id).toBe(id)
})

it('subscribe-key-immutable: another URL is another subscription, and both receive', async () => {
  const { client, topic, callback, args } = await subscriber()
  const other = receiver()
  await client.events.subscribe('rows.all', { callback: other, arguments: args })
  await emit(topic, 'a')
  expect(textsOf([(await callback.next()).event, (await other.next()).event] as never)).toEqual([
    'a',
    'a',
  ])
})

it('subscribe-idempotent-upsert: the same key again keeps the id, and an event is delivered once', async () => {
  const { client, topic, callback, args, id } = await subscriber()
  const again = await client.events.subscribe('rows.all', { callback, arguments: args })
  expect(again.id).toBe(id)
  await emit(topic, 'a')
  await emit(topic, 'b')
  await expect.poll(() => textsOf(callback.events)).toEqual(['a', 'b'])
})

it('subscribe-id-derived: is the same after the subscription has ended and the objects have restarted', async () => {
  const { client, callback, args, id } = await subscriber()
  await client.events.unsubscribe('rows.all', { callback, arguments: args })
  await restart()
  expect((await client.events.subscribe('rows.all', { callback, arguments: args })).id).toBe(id)
})

it('subscribe-id-not-an-input: an id in the request does not select a subscription', async () => {
  const { id, topic } = await subscriber()
  const other = await person()
  const callback = receiver()
  const delivery = { mode: 'webhook', url: callback.url, secret: callback.secret }
  const params = { id, name: 'rows.all', arguments: { topic }, delivery }
  const subscribed = await other.client.request('events/subscribe', params)
  expect(subscribed.id).not.toBe(id)
  const refused = await refusal(other.client.request('events/unsubscribe', { id }))
  expect(refused.code).toBe(CODES.invalidParams)
})

it('subscribe-cross-tenant-isolation: one person cannot end, see or replace the subscription of another', async () => {
  const ada = await subscriber()
  const bob = await person()
  const { callback, args, topic } = ada
  const refused = await refusal(
    bob.client.events.unsubscribe('rows.all', { callback, arguments: args }),
  )
  expect(refused.code).toBe(CODES.notFound)
  const earlier = callback.secret
  const own = receiver()
  const stolen = { url: callback.url, secret: own.secret }
  // The challenge is signed with a secret that the receiver does not know.
  const foreign = await refusal(
    bob.client.events.subscribe('rows.all', { callback: stolen, arguments: args }),
  )
  expect(foreign.code).toBe(CODES.callbackEndpointError)
  await emit(topic, 'a')
  expect((await callback.next()).verifiedBy).toEqual([earlier])
})

it('subscribe-idempotent-upsert: the same request several times at once is one subscription with one challenge', async () => {
  const { client, topic } = await person()
  const callback = receiver()
  const subscribe = () =>
    client.events.subscribe('rows.all', { callback, arguments: { topic }, ttlMs: 600_000 })
  const subscribed = await Promise.all([subscribe(), subscribe(), subscribe()])
  expect(new Set(subscribed.map(({ id }) => id)).size).toBe(1)
  expect(callback.deliveries.map(({ kind }) => kind)).toEqual(['verification'])
  expect((await Promise.all([subscribe(), subscribe()])).map(({ id }) => id)).toEqual([
    subscribed[0]?.id,
    subscribed[0]?.id,
  ])
  await emit(topic, 'a')
  await emit(topic, 'b')
  await expect.poll(() => textsOf(callback.events)).toEqual(['a', 'b'])
})
