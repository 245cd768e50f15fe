/** `edgeway.events(env)` with what it cannot use: each is refused, and nothing is stored or ended. */
// features: events
import { expect, it } from 'vitest'
import { emit, principalOf, receiver, subscriber } from './support/rows.ts'
import { rowsEvents } from './support/rows-server.ts'

const data = { topic: 'a', text: 'b' }

it.each(['\ud800', '\udc00a', '', 'x'.repeat(8193), null, 7])(
  'emit refuses the subject %j',
  async (subject) => {
    const emitted = rowsEvents().emit('rows.all', data, { subject: subject as string })
    await expect(emitted).rejects.toMatchObject({
      name: 'OperationError',
      reason: 'invalid-subject',
    })
  },
)

it('emit repeats the beginning of a name that no type has', async () => {
  const emitted = rowsEvents().emit('x'.repeat(100_000), data)
  const error: Error = await emitted.then(
    () => new Error('It was stored'),
    (refused) => refused,
  )
  expect(error).toMatchObject({ reason: 'unknown-type' })
  expect(error.message).toMatch(/^There is no event type "x+/)
  expect(error.message.length).toBeLessThan(300)
})

it('the end of no subscription ends none', async () => {
  const { client, callback, topic, args, subject } = await subscriber()
  const other = receiver()
  await client.events.subscribe('rows.all', { callback: other, arguments: args })
  for (const id of [undefined, null, '', 'sub_unknown'] as string[]) {
    expect(await rowsEvents().endSubscription(id, 'A test', principalOf(subject))).toBe(false)
  }
  expect(await rowsEvents().subscriptions(principalOf(subject))).toHaveLength(2)
  await emit(topic, 'a')
  expect([(await callback.next()).kind, (await other.next()).kind]).toEqual(['event', 'event'])
})
