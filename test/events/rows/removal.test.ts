/** Rows about types that change or are removed: a second version of the server is deployed over the same objects. */
// features: changes, events
import { expect, it, onTestFinished } from 'vitest'
import {
  CODES,
  emit,
  openStream,
  person,
  refusal,
  restart,
  runAlarms,
  subscriber,
} from '../support/rows.ts'
import { deploy, rowsApp, rowsEnv } from '../support/rows-server.ts'

/** Deploys the second version: the objects that the type concerns restart with it. */
async function deploySecond(type: string) {
  deploy('second')
  onTestFinished(() => {
    deploy('first')
    return restart(type)
  })
  await restart(type)
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
  await emit(topic, 'pending', 'rows.removed')
  callback.answerEvents({ status: 503 }, 'accept')
  await callback.next()
  await deploySecond('rows.removed')
  await runAlarms('rows.removed')
  const { envelope } = await callback.next()
  expect(envelope?.type).toBe('terminated')
  await runAlarms('rows.removed')
  expect((await refusal(callback.next(300))).message).toContain('No delivery arrived')
})

it('removal-error-not-found: `terminated` has NotFound of the kind `event`, and so has a request', async () => {
  const { callback, topic } = await subscriber('rows.removed')
  callback.answerEvents({ status: 503 }, 'accept')
  await emit(topic, 'pending', 'rows.removed')
  await callback.next()
  await deploySecond('rows.removed')
  await runAlarms('rows.removed')
  expect((await callback.next()).envelope).toEqual({
    type: 'terminated',
    error: { code: CODES.notFound, message: 'NotFound', data: { kind: 'event' } },
  })
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
    await deploySecond(type)
    await runAlarms(type)
    expect((await callback.next()).envelope).toEqual({
      type: 'terminated',
      error: {
        code: CODES.unsupported,
        message: 'Unsupported',
        data: { feature, reason: 'schema_changed' },
      },
    })
  },
)

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
