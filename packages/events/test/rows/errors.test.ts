/** Rows error-* and authz-*: each error with its number, its name and its data. */
// features: events
import { expect, it, onTestFinished } from 'vitest'
import {
  CODES,
  emit,
  openStream,
  person,
  principalOf,
  receiver,
  refusal,
  subscriber,
} from '../support/rows.ts'
import {
  MAX_STREAMS,
  MAX_SUBSCRIPTIONS,
  MAX_UPSTREAMS,
  rowsEvents,
  started,
  switches,
} from '../support/rows-server.ts'

function forbid(subject: string): void {
  switches.forbidden.add(subject)
  onTestFinished(() => void switches.forbidden.delete(subject))
}

it('error-invalid-params: names the argument that the schema refuses, in every mode', async () => {
  const { client } = await person()
  const options = { arguments: { level: 'high' } }
  for (const request of [
    client.events.poll('rows.all', options),
    client.events.stream('rows.all', options),
    client.events.subscribe('rows.all', { callback: receiver(), ...options }),
  ]) {
    const refused = await refusal(request)
    expect(refused.code).toBe(CODES.invalidParams)
    expect(refused.message).toContain('level')
  }
})

it('error-unsupported: answers a type without webhook with Unsupported, before its arguments are checked', async () => {
  const { client } = await person()
  const callback = receiver()
  const args = { level: 'high' }
  const refused = await refusal(client.events.subscribe('rows.poll', { callback, arguments: args }))
  expect(refused).toMatchObject({
    code: CODES.unsupported,
    data: { feature: 'deliveryMode', value: 'webhook' },
  })
  expect(callback.deliveries).toEqual([])
})

it('error-callback-endpoint-error: answers a callback that fails its challenge with a category', async () => {
  const { client } = await person()
  const callback = receiver()
  callback.answerChallenges('wrong-challenge')
  const refused = await refusal(client.events.subscribe('rows.all', { callback }))
  expect(refused.message).toContain('CallbackEndpointError')
  expect(refused).toMatchObject({
    code: CODES.callbackEndpointError,
    data: { reason: 'challenge_failed' },
  })
})

it('error-resource-exhausted: answers one subscription too many with the limit, before a challenge', async () => {
  const { client, topic } = await person()
  for (let level = 0; level < MAX_SUBSCRIPTIONS; level++) {
    const options = { callback: receiver(), arguments: { topic, level } }
    await client.events.subscribe('rows.all', options)
  }
  const callback = receiver()
  const refused = await refusal(client.events.subscribe('rows.all', { callback }))
  expect(refused).toMatchObject({
    code: CODES.resourceExhausted,
    data: { limit: 'subscriptions', max: MAX_SUBSCRIPTIONS },
  })
  expect(callback.deliveries).toEqual([])
})

it('error-resource-exhausted: answers one stream too many with the limit', async () => {
  const who = await person()
  for (let opened = 0; opened < MAX_STREAMS; opened++) await openStream(who)
  expect(await refusal(openStream(who))).toMatchObject({
    code: CODES.resourceExhausted,
    data: { limit: 'streams', max: MAX_STREAMS },
  })
})

it('error-resource-exhausted: answers polls and streams with too many different arguments before the upstream is asked', async () => {
  const { client, topic } = await person()
  const poll = (place: number) =>
    client.events.poll('rows.upstream', { arguments: { topic: `${topic} ${place}` } })
  for (let place = 0; place < MAX_UPSTREAMS; place++) await poll(place)
  const exhausted = {
    code: CODES.resourceExhausted,
    data: { limit: 'upstreams', max: MAX_UPSTREAMS },
  }
  expect(await refusal(poll(MAX_UPSTREAMS))).toMatchObject(exhausted)
  expect(await refusal(openStream({ client, topic }, 'rows.upstream'))).toMatchObject(exhausted)
  expect(started.filter((each) => String(each).startsWith(topic))).toHaveLength(MAX_UPSTREAMS)
  await poll(0)
  const other = await person()
  await other.client.events.poll('rows.upstream', { arguments: { topic } })
})

it('error-resource-exhausted: answers a new subscription after too many in a minute that have started listeners', async () => {
  const { client, topic } = await person()
  const callback = receiver()
  const optionsOf = (place: number) => ({ callback, arguments: { topic: `${topic} ${place}` } })
  for (let place = 0; place < MAX_UPSTREAMS; place++) {
    await client.events.subscribe('rows.upstream', optionsOf(place))
    if (place > 0) await client.events.unsubscribe('rows.upstream', optionsOf(place))
  }
  const refused = await refusal(client.events.subscribe('rows.upstream', optionsOf(MAX_UPSTREAMS)))
  expect(refused).toMatchObject({
    code: CODES.resourceExhausted,
    data: { limit: 'upstreams', max: MAX_UPSTREAMS },
  })
  expect(started.filter((each) => String(each).startsWith(topic))).toHaveLength(MAX_UPSTREAMS)
  await client.events.subscribe('rows.upstream', optionsOf(0))
})

it('error-forbidden: answers arguments that the caller may not have with Forbidden, in every mode', async () => {
  const { client } = await person()
  const options = { arguments: { topic: 'secret' } }
  const callback = receiver()
  for (const request of [
    client.events.poll('rows.all', options),
    client.events.stream('rows.all', options),
    client.events.subscribe('rows.all', { callback, ...options }),
  ]) {
    expect(await refusal(request)).toMatchObject({
      code: CODES.forbidden,
      data: { reason: expect.any(String) },
    })
  }
  expect(callback.deliveries).toEqual([])
})

it('authz-subscribe-time: asks `authorize` again on a refresh, which leaves the subscription when it is refused', async () => {
  const { client, callback, args, subject } = await subscriber()
  forbid(subject)
  const refused = await refusal(client.events.subscribe('rows.all', { callback, arguments: args }))
  expect(refused.code).toBe(CODES.forbidden)
})

it('authz-delivery-time-reverify: a subscription for which `authorize` refuses an event is terminated, without the event', async () => {
  const { callback, topic, subject } = await subscriber()
  forbid(subject)
  await emit(topic, 'forbidden')
  expect((await callback.next()).envelope).toMatchObject({
    type: 'terminated',
    error: { code: CODES.forbidden, message: 'Forbidden' },
  })
  expect(callback.events).toEqual([])
  expect(await rowsEvents().subscriptions(principalOf(subject))).toEqual([])
})

it('authz-delivery-time-reverify: a subscription whose access has ended is terminated with Forbidden', async () => {
  const { callback, topic, subject } = await subscriber()
  switches.revoked.add(subject)
  onTestFinished(() => void switches.revoked.delete(subject))
  await emit(topic, 'after')
  expect((await callback.next()).envelope).toMatchObject({
    type: 'terminated',
    error: { code: CODES.forbidden, message: 'Forbidden' },
  })
  expect(await rowsEvents().subscriptions(principalOf(subject))).toEqual([])
})

it('authz-delivery-time-reverify: a stream is terminated when `authorize` refuses its next event', async () => {
  const who = await person()
  const stream = await openStream(who)
  forbid(who.subject)
  await emit(who.topic, 'forbidden')
  expect((await stream.nextMessage('terminated')).error).toMatchObject({ code: CODES.forbidden })
  expect(stream.messages.filter(({ kind }) => kind === 'event')).toEqual([])
})
