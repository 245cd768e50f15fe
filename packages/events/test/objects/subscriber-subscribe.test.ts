/** Subscriptions: their keys, lifetimes, positions and refreshes. */
import { describe, expect, it } from 'vitest'
import { canonicalText } from '../../../../src/protocol/canonical-json.ts'
import { DAY_MS, HOUR_MS, NOON, useFakeClock } from '../../../../test/durable-objects/fake-clock.ts'
import {
  ADA,
  advance,
  idsOf,
  KEY,
  OTHER_SECRET,
  openSubscriber,
  SECRET,
  settled,
  URL_A,
} from './subscriber.ts'
import { echoOrAccept, eventType } from './subscriber-world.ts'

useFakeClock()

const sha256Hex = async (text: string) =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))).toHex()

describe('a subscription', () => {
  it('has an id that is derived from its key, and is the same after a restart', async () => {
    const subscriber = openSubscriber()
    const { id } = await subscriber.subscribed()
    const key = JSON.stringify([subscriber.name, URL_A, 'note.created', { list: 'a' }])
    expect(id).toBe(`sub_${await sha256Hex(key)}`)
    await subscriber.kill()
    expect((await subscriber.subscribed()).id).toBe(id)
    await subscriber.unsubscribe()
    expect((await subscriber.subscribed()).id).toBe(id)
  })

  it.each([
    { url: 'https://hooks.example.org/b' },
    { arguments: '{"list":"b"}' },
    { type: 'note.deleted' },
  ])('with %j is another one', async (part) => {
    const subscriber = openSubscriber()
    subscriber.world.types.set('note.deleted', eventType('note.deleted'))
    const one = await subscriber.subscribed()
    const other = await subscriber.subscribed(part)
    expect(other.id).not.toBe(one.id)
    expect(await subscriber.stub().subscriptions()).toHaveLength(2)
  })

  it('is the same for arguments in another order', async () => {
    const subscriber = openSubscriber()
    const one = await subscriber.subscribed({
      arguments: canonicalText({ a: 1, b: { c: 2, d: 3 } }),
    })
    const other = await subscriber.subscribed({
      arguments: canonicalText({ b: { d: 3, c: 2 }, a: 1 }),
    })
    expect(other.id).toBe(one.id)
    expect(await subscriber.stub().subscriptions()).toHaveLength(1)
  })

  it('of another principal is another one', async () => {
    const [one, other] = [openSubscriber(), openSubscriber()]
    expect((await one.subscribed()).id).not.toBe((await other.subscribed()).id)
    expect(await other.unsubscribe()).toBe(true)
    expect(await one.stub().subscriptions()).toHaveLength(1)
  })

  it('has no expiry where the server allows it, across restarts', async () => {
    const subscriber = openSubscriber({}, { allowsNoExpiry: true })
    expect((await subscriber.subscribed({ ttlMs: null })).expiresAt).toBeNull()
    await subscriber.kill()
    advance(400 * DAY_MS)
    await subscriber.alarm()
    await subscriber.hand([11])
    await settled(subscriber, 1)
    expect(idsOf(subscriber.delivered())).toEqual(['evt_11'])
  })

  it('is registered at the log of its type, with the name of the object and its arguments', async () => {
    const subscriber = openSubscriber()
    const { id } = await subscriber.subscribed()
    const [registration] = subscriber.world.registrations.values()
    expect(registration).toEqual({
      id: registration?.id,
      name: { type: 'note.created', subject: undefined },
      principal: subscriber.name,
      subject: 'ada',
      arguments: '{"list":"a"}',
      start: { after: undefined, maxAgeMs: undefined },
    })
    expect(registration?.id.startsWith(`${id}.`)).toBe(true)
  })

  it('of a personal type is registered at the log of its person', async () => {
    const subscriber = openSubscriber()
    subscriber.world.types.set('note.created', eventType('note.created', { isPersonal: true }))
    await subscriber.subscribed()
    const [registration] = subscriber.world.registrations.values()
    expect(registration?.name).toEqual({ type: 'note.created', subject: 'ada' })
  })

  it('of a personal type is refused to an anonymous caller', async () => {
    const subscriber = openSubscriber()
    subscriber.world.types.set('note.created', eventType('note.created', { isPersonal: true }))
    expect(await subscriber.subscribe({ caller: undefined, subject: undefined })).toEqual({
      ok: false,
      error: { name: 'Forbidden', data: {} },
    })
  })

  it('of an anonymous caller has no subject', async () => {
    const subscriber = openSubscriber()
    await subscriber.subscribed({ caller: undefined, subject: undefined })
    const [registration] = subscriber.world.registrations.values()
    expect(registration?.subject).toBeUndefined()
    await subscriber.hand([11])
    await settled(subscriber, 1)
    expect(idsOf(subscriber.delivered())).toEqual(['evt_11'])
  })

  it('begins at the position that the log returns, and says what is lost before it', async () => {
    const subscriber = openSubscriber()
    const start = { after: { log: 'log-a', position: 3 }, maxAgeMs: 1000 }
    subscriber.world.register = async () => ({ log: 'log-a', position: 5, truncated: true })
    expect(await subscriber.subscribed({ start })).toMatchObject({
      position: { log: 'log-a', position: 5 },
      truncated: true,
      status: undefined,
    })
    expect([...subscriber.world.registrations.values()][0]?.start).toEqual(start)
  })

  it('of a type without history has no position, and is never truncated', async () => {
    const subscriber = openSubscriber()
    subscriber.world.types.set('note.created', eventType('note.created', { historyMs: 0 }))
    subscriber.world.register = async () => ({ log: 'log-a', position: 5, truncated: true })
    expect(await subscriber.subscribed()).toMatchObject({ position: undefined, truncated: false })
    await subscriber.hand([11])
    await settled(subscriber, 1)
    expect(subscriber.delivered()[0]?.message.cursor).toBeNull()
  })

  it.each([
    ['NotFound', { kind: 'event' }, undefined],
    ['Unsupported', { feature: 'deliveryMode', value: 'webhook' }, ['poll', 'push'] as const],
  ] as const)(
    'is refused as %s without a request to its callback',
    async (name, data, delivery) => {
      const subscriber = openSubscriber()
      const { types, requests } = subscriber.world
      types.clear()
      if (delivery !== undefined) types.set('note.created', eventType('note.created', { delivery }))
      expect(await subscriber.subscribe()).toEqual({ ok: false, error: { name, data } })
      expect(requests).toEqual([])
      expect(await subscriber.alarmAt()).toBeNull()
    },
  )

  it('above the limit of its principal is refused before anything else is done', async () => {
    const subscriber = openSubscriber({ subscriptionsPerPrincipal: 2 })
    await subscriber.subscribed()
    await subscriber.subscribed({ arguments: '{"list":"b"}' })
    const requests = subscriber.world.requests.length
    const third = { arguments: '{"list":"c"}', secret: OTHER_SECRET }
    expect(await subscriber.subscribe(third)).toEqual({
      ok: false,
      error: { name: 'ResourceExhausted', data: { limit: 'subscriptions', max: 2 } },
    })
    expect(subscriber.world.requests).toHaveLength(requests)
    // A refresh is none more, and an expired one is none.
    await subscriber.subscribed()
    advance(6 * HOUR_MS)
    await subscriber.subscribed(third)
  })

  it('that is reserved counts towards the limit', async () => {
    const subscriber = openSubscriber({ subscriptionsPerPrincipal: 1, deliveryTimeoutMs: 1000 })
    subscriber.world.answer = (_, signal) =>
      new Promise((_resolve, reject) =>
        signal?.addEventListener('abort', () => reject(new Error('aborted'))),
      )
    const first = subscriber.subscribe()
    await expect.poll(() => subscriber.world.received.length).toBe(1)
    const second = await subscriber.subscribe({ arguments: '{"list":"b"}' })
    expect(second).toMatchObject({ ok: false, error: { name: 'ResourceExhausted' } })
    expect(await first).toMatchObject({ ok: false, error: { data: { reason: 'timeout' } } })
    subscriber.world.answer = echoOrAccept
    await subscriber.subscribed({ arguments: '{"list":"b"}' })
  })
})

describe('the refresh of a subscription', () => {
  it('grants a new lifetime, continues at its position, and ignores a cursor', async () => {
    const subscriber = openSubscriber()
    await subscriber.subscribed()
    await subscriber.hand([11])
    await settled(subscriber, 1)
    advance(HOUR_MS)
    subscriber.world.register = async () => ({ log: 'log-a', position: 20, truncated: false })
    const refreshed = await subscriber.subscribed({
      start: { after: { log: 'log-a', position: 2 }, maxAgeMs: undefined },
    })
    expect(refreshed).toEqual({
      id: refreshed.id,
      expiresAt: NOON + 7 * HOUR_MS,
      position: { log: 'log-a', position: 20 },
      truncated: false,
      status: { active: true, lastDeliveryAt: new Date(NOON).toISOString(), lastError: null },
    })
    expect([...subscriber.world.registrations.values()][0]?.start).toBeUndefined()
    expect(subscriber.world.registrations.size).toBe(1)
  })

  it('says once that events were given up since the last answer', async () => {
    const subscriber = openSubscriber({ retryDelaysMs: [1000] })
    await subscriber.subscribed()
    subscriber.world.answer = () => new Response(null, { status: 500 })
    await subscriber.hand([11])
    await settled(subscriber, 1)
    advance(2000)
    await subscriber.alarm()
    await settled(subscriber, 2)
    expect(subscriber.world.reasons('event-delivery').at(-1)).toEqual(['abandoned', 'http_5xx'])
    subscriber.world.answer = echoOrAccept
    subscriber.world.position = 11
    expect(await subscriber.subscribed()).toMatchObject({
      truncated: true,
      position: { position: 11 },
      status: { active: true, lastError: 'http_5xx', failedSince: new Date(NOON).toISOString() },
    })
    expect(await subscriber.subscribed()).toMatchObject({ truncated: false })
  })

  it('leaves the live subscription alone when its challenge fails', async () => {
    const subscriber = openSubscriber()
    const before = await subscriber.subscribed()
    const rows = await subscriber.query(
      'SELECT secret, expires_at, state, caller FROM subscriptions',
    )
    subscriber.world.answer = () => new Response(null, { status: 500 })
    advance(HOUR_MS)
    expect(await subscriber.subscribe({ secret: OTHER_SECRET })).toEqual({
      ok: false,
      error: { name: 'CallbackEndpointError', data: { reason: 'http_5xx' } },
    })
    expect(
      await subscriber.query('SELECT secret, expires_at, state, caller FROM subscriptions'),
    ).toEqual(rows)
    subscriber.world.answer = echoOrAccept
    await subscriber.hand([11])
    await settled(subscriber, 1)
    expect(before.expiresAt).toBe(NOON + 6 * HOUR_MS)
  })

  it('leaves the live subscription alone when its log is unreachable', async () => {
    const subscriber = openSubscriber()
    await subscriber.subscribed()
    subscriber.world.register = () => Promise.reject(new Error('unreachable'))
    expect(await subscriber.rejected()).toBe('unreachable')
    expect(await subscriber.stub().subscriptions()).toMatchObject([{ state: 'active' }])
    expect(subscriber.world.unregistered).toEqual([])
  })

  it('after its expiry begins anew at its cursor, as another registration', async () => {
    const subscriber = openSubscriber()
    await subscriber.subscribed()
    const [first] = subscriber.world.registrations.keys()
    advance(6 * HOUR_MS)
    const start = { after: { log: 'log-a', position: 4 }, maxAgeMs: undefined }
    expect(await subscriber.subscribed({ start })).toMatchObject({
      position: { position: 4 },
      status: undefined,
    })
    await expect.poll(() => subscriber.world.registrations.size).toBe(1)
    const [second] = subscriber.world.registrations.values()
    expect(second?.start).toEqual(start)
    expect(second?.id).not.toBe(first)
    await expect.poll(() => subscriber.world.unregistered).toEqual([first])
  })

  it.each([false, true])(
    'of a type that is now personal, or not any more, is registered at the other log (personal before: %s)',
    async (isPersonal) => {
      const subscriber = openSubscriber()
      const { types, registrations, unregistered } = subscriber.world
      types.set('note.created', eventType('note.created', { isPersonal }))
      await subscriber.subscribed()
      const [registration = ''] = registrations.keys()
      types.set('note.created', eventType('note.created', { isPersonal: !isPersonal }))
      subscriber.world.logName = 'log-b'
      expect(await subscriber.subscribed()).toMatchObject({
        truncated: true,
        position: { log: 'log-b', position: 10 },
      })
      await subscriber.alarm()
      expect(unregistered).toEqual([registration])
      const subject = isPersonal ? undefined : 'ada'
      expect([...registrations.values()]).toMatchObject([{ name: { subject } }])
    },
  )

  it('says that events are lost when its log is another one', async () => {
    const subscriber = openSubscriber()
    await subscriber.subscribed()
    await subscriber.hand([11])
    subscriber.world.logName = 'log-b'
    subscriber.world.position = 2
    expect(await subscriber.subscribed()).toMatchObject({
      truncated: true,
      position: { log: 'log-b', position: 2 },
    })
  })
})

describe('the subscriptions of a principal', () => {
  it('are listed without paths and secrets', async () => {
    const subscriber = openSubscriber()
    const { id } = await subscriber.subscribed()
    subscriber.world.answer = () => new Response(null, { status: 401 })
    await subscriber.hand([11])
    await settled(subscriber, 1)
    expect(await subscriber.stub().subscriptions()).toEqual([
      {
        id,
        type: 'note.created',
        arguments: KEY.arguments,
        callback: 'https://hooks.example.org',
        clientId: ADA.clientId,
        state: 'active',
        createdAt: NOON,
        expiresAt: NOON + 6 * HOUR_MS,
        pending: 1,
        lastDeliveryAt: undefined,
        lastError: 'http_4xx',
      },
    ])
    expect(SECRET).toContain('whsec_')
  })
})
