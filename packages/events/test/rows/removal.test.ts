/** Rows about types that change or are removed: a second version of the server is deployed over the same objects. */
// features: changes, events
import { expect, it, onTestFinished } from 'vitest'
import type { EventReceiver } from '../../../testing/src/event-receiver.ts'
import {
  CODES,
  emit,
  openStream,
  person,
  refusal,
  restart,
  runAlarms,
  subscriber,
  textsOf,
} from '../support/rows.ts'
import { deploy, rowsApp, rowsEnv, rowsEvents } from '../support/rows-server.ts'

/**
 * Deploys the second version: the objects that the type concerns restart with it. Returns the deliveries since. Before,
 * the first version may have sent an event again that was refused.
 */
async function deploySecond(type: string, callback?: EventReceiver) {
  deploy('second')
  onTestFinished(() => {
    deploy('first')
    return restart(type)
  })
  await restart(type)
  const earlier = callback?.deliveries.length
  return () => callback?.deliveries.slice(earlier) ?? []
}

it('list-changed-notification: reaches a client that listens to the list of types', async () => {
  const { client } = await person()
  const changes = await client.listen({ eventsListChanged: true })
  onTestFinished(() => changes.close())
  await rowsApp().notify(rowsEnv).eventsChanged()
  expect(await changes.next()).toEqual({ kind: 'events_list_changed' })
})

it('removal-terminates-subscriptions: a subscription to a removed type ends with one `terminated`', async () => {
  const { callback, topic } = await subscriber('rows.removed')
  callback.answerEvents({ status: 503 }, 'accept')
  await emit(topic, 'pending', 'rows.removed')
  await callback.next()
  const deliveries = await deploySecond('rows.removed', callback)
  await runAlarms('rows.removed')
  await expect.poll(() => deliveries().map(({ kind }) => kind)).toEqual(['terminated'])
  await runAlarms('rows.removed')
  await scheduler.wait(300)
  expect(deliveries()).toHaveLength(1)
})

it('removal-error-not-found: `terminated` has NotFound of the kind `event`, and so has a request', async () => {
  const { callback, topic } = await subscriber('rows.removed')
  callback.answerEvents({ status: 503 }, 'accept')
  await emit(topic, 'pending', 'rows.removed')
  await callback.next()
  const deliveries = await deploySecond('rows.removed', callback)
  await runAlarms('rows.removed')
  const error = { code: CODES.notFound, message: 'NotFound', data: { kind: 'event' } }
  await expect
    .poll(() => deliveries().map(({ envelope }) => envelope))
    .toEqual([{ type: 'terminated', error }])
  const { client } = await person()
  const refused = await refusal(client.events.poll('rows.removed'))
  expect(refused).toMatchObject({ code: CODES.notFound, data: { kind: 'event' } })
})

it.each([
  ['rows.payload', 'payloadSchema'],
  ['rows.input', 'inputSchema'],
])(
  'removal-error-schema-changed: a subscription to %s ends with Unsupported and %s',
  async (type, feature) => {
    const { callback, topic } = await subscriber(type)
    callback.answerEvents({ status: 503 }, 'accept')
    await emit(topic, 'pending', type)
    await callback.next()
    const deliveries = await deploySecond(type, callback)
    await runAlarms(type)
    const data = { feature, reason: 'schema_changed' }
    const error = { code: CODES.unsupported, message: 'Unsupported', data }
    await expect
      .poll(() => deliveries().map(({ envelope }) => envelope))
      .toEqual([{ type: 'terminated', error }])
  },
)

it('removal-error-schema-changed: a poll and a stream leave out events that the changed schema refuses, with `truncated`', async () => {
  const { client, topic } = await person()
  const args = { topic }
  const { cursor } = await client.events.poll('rows.payload', { arguments: args })
  await emit(topic, 'of the earlier schema', 'rows.payload')
  await deploySecond('rows.payload')
  await rowsEvents().emit('rows.payload', { topic, text: 7 })
  const later = await person()
  const result = await later.client.events.poll('rows.payload', { arguments: args, cursor })
  expect([result.truncated, textsOf(result.events)]).toEqual([true, [7]])
  const stream = await openStream({ client: later.client, topic }, 'rows.payload', cursor)
  expect(textsOf([await stream.next()])).toEqual([7])
  expect(stream.truncated).toBe(true)
})

it('removal-additive-no-terminate: a subscription to a type that has grown receives on', async () => {
  const { callback, topic } = await subscriber('rows.grown')
  await emit(topic, 'before', 'rows.grown')
  await callback.next()
  await deploySecond('rows.grown')
  await runAlarms('rows.grown')
  await emit(topic, 'after', 'rows.grown')
  expect((await callback.next()).event?.data).toMatchObject({ text: 'after' })
})

it('schema-evolution-additive: arguments and cursors of the earlier version are accepted by a type that has grown', async () => {
  const { client, topic } = await person()
  const args = { topic }
  const { cursor } = await client.events.poll('rows.grown', { arguments: args })
  await emit(topic, 'before', 'rows.grown')
  await deploySecond('rows.grown')
  const later = await person()
  const result = await later.client.events.poll('rows.grown', { arguments: args, cursor })
  expect(result).toMatchObject({ truncated: false, events: [{ data: { text: 'before' } }] })
})

it('breaking-change-new-name: an earlier and a new type are served beside each other', async () => {
  const one = await subscriber('rows.all')
  const stream = await openStream(one, 'rows.grown')
  await emit(one.topic, 'old name')
  await emit(one.topic, 'new name', 'rows.grown')
  expect((await one.callback.next()).event).toMatchObject({ name: 'rows.all' })
  expect(await stream.next()).toMatchObject({ name: 'rows.grown' })
})
