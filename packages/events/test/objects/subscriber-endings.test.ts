/** How subscriptions end, and that nothing is delivered afterwards. */
import { describe, expect, it } from 'vitest'
import type { EventError } from '../../../../src/protocol/events.ts'
import {
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  SECOND_MS,
  useFakeClock,
} from '../../../../test/durable-objects/fake-clock.ts'
import type { CompiledEventType } from '../../src/compiled-event-type.ts'
import {
  ADA,
  advance,
  idsOf,
  isSignedWith,
  OTHER_SECRET,
  openSubscriber,
  SECRET,
  settled,
  until,
} from './subscriber.ts'
import { echoOrAccept, eventType } from './subscriber-world.ts'

useFakeClock()

const REVOKED: EventError = { name: 'Forbidden', data: { reason: 'Access revoked' } }

/** An author's function that waits until the test opens it. */
function held() {
  let isOpen = false
  return {
    open: () => {
      isOpen = true
    },
    authorize: async () => {
      while (!isOpen) await new Promise((resolve) => setTimeout(resolve, 2))
      return true
    },
  }
}

describe('unsubscribing', () => {
  it('is true for a subscription and for a day after its end, and false for a key that never was', async () => {
    const subscriber = openSubscriber()
    expect(await subscriber.unsubscribe()).toBe(false)
    await subscriber.subscribed()
    expect(await subscriber.unsubscribe({ url: 'https://hooks.example.org/b' })).toBe(false)
    expect(await subscriber.unsubscribe()).toBe(true)
    expect(await subscriber.unsubscribe()).toBe(true)
    await subscriber.kill()
    advance(DAY_MS - 1)
    expect(await subscriber.unsubscribe()).toBe(true)
    advance(1)
    expect(await subscriber.unsubscribe()).toBe(false)
  })

  it('needs no event type', async () => {
    const subscriber = openSubscriber()
    await subscriber.subscribed()
    subscriber.world.types.clear()
    expect(await subscriber.unsubscribe()).toBe(true)
  })

  it('ends deliveries that were about to begin, and those that would be repeated', async () => {
    const subscriber = openSubscriber()
    const { open, authorize } = held()
    await subscriber.subscribed()
    subscriber.world.answer = () => new Response(null, { status: 503 })
    await subscriber.hand([11])
    await settled(subscriber, 1)
    subscriber.world.types.set('note.created', eventType('note.created', { authorize }))
    await subscriber.hand([12])
    expect(await subscriber.unsubscribe()).toBe(true)
    open()
    advance(HOUR_MS)
    await subscriber.alarm()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(idsOf(subscriber.delivered())).toEqual(['evt_11'])
    expect(await subscriber.rows('outbox')).toEqual([])
  })

  it('is repeated at the log until it succeeds, also after a restart', async () => {
    const subscriber = openSubscriber()
    const { world } = subscriber
    await subscriber.subscribed()
    world.unregister = () => Promise.reject(new Error('unreachable'))
    await subscriber.unsubscribe()
    for (const [failures, pause] of [1, 2, 4].entries()) {
      await until(async () => {
        const [row] = await subscriber.rows('unregistrations')
        return row?.attempts === failures + 1 && row.next_at === Date.now() + pause * SECOND_MS
      })
      await subscriber.kill()
      advance(pause * SECOND_MS)
      await subscriber.alarm()
    }
    world.unregister = undefined
    advance(8 * SECOND_MS)
    await subscriber.alarm()
    expect(world.registrations.size).toBe(0)
    expect(await subscriber.rows('unregistrations')).toEqual([])
  })

  it('late at the log does not concern a subscription that began anew', async () => {
    const subscriber = openSubscriber()
    const { world } = subscriber
    await subscriber.subscribed()
    world.unregister = () => Promise.reject(new Error('unreachable'))
    await subscriber.unsubscribe()
    await subscriber.subscribed()
    world.unregister = undefined
    advance(MINUTE_MS)
    await subscriber.alarm()
    expect(world.unregistered).toHaveLength(1)
    expect(world.registrations.size).toBe(1)
    await subscriber.hand([11])
    await settled(subscriber, 1)
    expect(idsOf(subscriber.delivered())).toEqual(['evt_11'])
  })
})

describe('a subscription to a type that the app does not have any more', () => {
  it('ends within a day without a delivery, also when it does not expire', async () => {
    const subscriber = openSubscriber({}, { allowsNoExpiry: true })
    const { world } = subscriber
    await subscriber.subscribed({ ttlMs: null })
    // What a challenge leaves is due earlier.
    advance(2 * DAY_MS)
    await subscriber.alarm()
    world.types.clear()
    expect(await subscriber.alarmAt()).toBe(Date.now() + DAY_MS)
    advance(DAY_MS)
    await subscriber.alarm()
    await until(() => subscriber.envelopes('terminated').length > 0)
    expect(subscriber.envelopes('terminated').map(({ message }) => message.error)).toEqual([
      { code: -32011, message: 'NotFound', data: { kind: 'event' } },
    ])
    expect(await subscriber.rows('subscriptions')).toEqual([])
    expect(world.registrations.size).toBe(0)
  })

  it('does not count for the limit of its principal', async () => {
    const subscriber = openSubscriber({ subscriptionsPerPrincipal: 1 })
    const { types } = subscriber.world
    types.set('note.deleted', eventType('note.deleted'))
    await subscriber.subscribed({ type: 'note.deleted' })
    types.delete('note.deleted')
    expect((await subscriber.subscribed()).id).toBeDefined()
  })
})

describe('the expiry of a subscription', () => {
  it('during an attempt that has not begun prevents it', async () => {
    const subscriber = openSubscriber()
    const { open, authorize } = held()
    await subscriber.subscribed({ ttlMs: HOUR_MS })
    subscriber.world.types.set('note.created', eventType('note.created', { authorize }))
    await subscriber.hand([11])
    await expect.poll(() => subscriber.world.steps).toContain('authorize')
    advance(HOUR_MS)
    open()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(subscriber.delivered()).toEqual([])
    await subscriber.alarm()
    expect(await subscriber.rows('outbox')).toEqual([])
  })
})

describe('the end of subscriptions by the server', () => {
  it.each([
    ['sketch', -32012],
    ['sep', -32024],
  ] as const)(
    'sends `terminated` once, with the number of the profile %s',
    async (profile, code) => {
      const subscriber = openSubscriber()
      const { id } = await subscriber.subscribed({ profile })
      expect(await subscriber.stub().end(REVOKED)).toBe(1)
      await expect.poll(() => subscriber.envelopes('terminated').length).toBe(1)
      const [terminated] = subscriber.envelopes('terminated')
      if (terminated === undefined) throw new Error('Nothing was sent')
      expect(terminated.message).toEqual({
        type: 'terminated',
        error: { code, message: 'Forbidden', data: { reason: 'Access revoked' } },
      })
      expect(await isSignedWith(terminated, SECRET)).toBe(true)
      expect(terminated.headers.get('webhook-id')).toMatch(/^msg_terminated_[A-Za-z0-9_-]{22}$/)
      expect(terminated.headers.get('x-mcp-subscription-id')).toBe(id)
      expect(await subscriber.stub().subscriptions()).toEqual([])
      await expect.poll(() => subscriber.world.registrations.size).toBe(0)
      expect(await subscriber.unsubscribe()).toBe(true)
    },
  )

  it('may concern one of them, and does not depend on its callback', async () => {
    const subscriber = openSubscriber({ deliveryTimeoutMs: 50 })
    const { id } = await subscriber.subscribed()
    await subscriber.subscribed({ arguments: '{"list":"b"}' })
    subscriber.world.answer = () => new Promise(() => undefined)
    expect(await subscriber.stub().end(REVOKED, 'sub_of_nobody')).toBe(0)
    expect(await subscriber.stub().end(REVOKED, id)).toBe(1)
    expect(await subscriber.stub().end(REVOKED, id)).toBe(0)
    expect(await subscriber.stub().subscriptions()).toMatchObject([{ arguments: '{"list":"b"}' }])
    advance(DAY_MS)
    await subscriber.alarm()
    expect(subscriber.envelopes('terminated')).toHaveLength(1)
  })

  it('may concern those of a grant, which is that of the last refresh', async () => {
    const subscriber = openSubscriber()
    const withGrant = (id: string) => ({
      caller: { auth: ADA, grant: { id, sealedKey: 'sealed' } },
    })
    await subscriber.subscribed(withGrant('grant-1'))
    await subscriber.subscribed({ ...withGrant('grant-2'), arguments: '{"list":"b"}' })
    await subscriber.subscribed({ arguments: '{"list":"c"}' })
    expect(await subscriber.stub().end(REVOKED, undefined, 'grant-3')).toBe(0)
    expect(await subscriber.stub().end(REVOKED, undefined, 'grant-2')).toBe(1)
    await subscriber.subscribed(withGrant('grant-4'))
    expect(await subscriber.stub().end(REVOKED, undefined, 'grant-1')).toBe(0)
    expect(await subscriber.stub().end(REVOKED, undefined, 'grant-4')).toBe(1)
    expect(await subscriber.stub().subscriptions()).toMatchObject([{ arguments: '{"list":"c"}' }])
  })

  it('sends nothing to a callback that was never verified', async () => {
    const subscriber = openSubscriber()
    let isOpen = false
    subscriber.world.answer = async (request) => {
      while (!isOpen) await new Promise((resolve) => setTimeout(resolve, 2))
      return echoOrAccept(request)
    }
    const result = subscriber.subscribe()
    await expect.poll(() => subscriber.world.received.length).toBe(1)
    expect(await subscriber.stub().end(REVOKED)).toBe(1)
    isOpen = true
    expect(await result).toMatchObject({ ok: false })
    expect(subscriber.envelopes('terminated')).toEqual([])
  })

  it('is followed by a new subscription where the client wants one', async () => {
    const subscriber = openSubscriber()
    const { id } = await subscriber.subscribed()
    await subscriber.stub().end(REVOKED)
    expect(await subscriber.subscribed()).toMatchObject({ id, status: undefined })
  })
})

describe('a subscription whose delivery is not permitted any more', () => {
  const forbidden = (reason: string) => ({ name: 'Forbidden', data: { reason } })
  const changed = (feature: string) => ({
    name: 'Unsupported',
    data: { feature, reason: 'schema_changed' },
  })

  it.each<[string, EventError, (types: Map<string, CompiledEventType>) => void]>([
    ['type that is gone', { name: 'NotFound', data: { kind: 'event' } }, (types) => types.clear()],
    [
      'type that webhooks do not deliver any more',
      { name: 'Unsupported', data: { feature: 'deliveryMode', value: 'webhook' } },
      (types) => types.set('note.created', eventType('note.created', { delivery: ['poll'] })),
    ],
    [
      'type that is hidden',
      forbidden('not_visible') as EventError,
      (types) => types.set('note.created', eventType('note.created', { visible: () => false })),
    ],
    [
      'type with another scope',
      forbidden('scopes_missing') as EventError,
      (types) => types.set('note.created', eventType('note.created', { scopes: ['write'] })),
    ],
    [
      'schema that refuses its arguments',
      changed('inputSchema') as EventError,
      (types) =>
        types.set('note.created', eventType('note.created', { checkArguments: () => 'refused' })),
    ],
    [
      'schema that refuses the data',
      changed('payloadSchema') as EventError,
      (types) => types.set('note.created', eventType('note.created', { acceptsData: () => false })),
    ],
    [
      '`authorize` that refuses its arguments',
      forbidden('not_authorized') as EventError,
      (types) => types.set('note.created', eventType('note.created', { authorize: () => false })),
    ],
  ])(
    'because of a %s ends, and its client receives `terminated`',
    async (_, { name, data }, change) => {
      const subscriber = openSubscriber()
      await subscriber.subscribed({ profile: 'sep' })
      change(subscriber.world.types)
      await subscriber.hand([11])
      await expect
        .poll(() => subscriber.envelopes('terminated').map(({ message }) => message.error))
        .toEqual([{ code: expect.any(Number), message: name, data }])
      expect(subscriber.delivered()).toEqual([])
      expect(await subscriber.stub().subscriptions()).toEqual([])
    },
  )

  it('because its access has ended ends', async () => {
    const subscriber = openSubscriber()
    await subscriber.subscribed()
    subscriber.world.renew = () => undefined
    await subscriber.hand([11])
    await expect.poll(() => subscriber.envelopes('terminated').length).toBe(1)
    expect(subscriber.delivered()).toEqual([])
    expect(subscriber.world.reasons('event-subscription').at(-1)).toEqual(['ended', 'Forbidden'])
  })
})

describe('an event', () => {
  it('is delivered with present data, for the present caller', async () => {
    const subscriber = openSubscriber()
    await subscriber.subscribed()
    const phases: unknown[] = []
    subscriber.world.renew = (auth) => ({ ...auth, scopes: ['renewed'] })
    subscriber.world.types.set(
      'note.created',
      eventType('note.created', {
        authorize: ({ auth, arguments: args }, phase) => {
          phases.push([auth?.scopes, args, phase])
          return true
        },
        transform: (data, { auth }) => ({ ...data, for: auth?.subject }),
      }),
    )
    await subscriber.hand([12])
    await settled(subscriber, 1)
    expect(phases).toEqual([[['renewed'], { list: 'a' }, 'deliver']])
    expect(subscriber.delivered().map(({ message }) => message.data)).toEqual([
      { note: 12, for: 'ada' },
    ])
  })

  it.each<[string, string, (world: ReturnType<typeof openSubscriber>['world']) => void]>([
    [
      'its access cannot be determined',
      'access_unknown',
      (world) => {
        world.renew = () => Promise.reject(new Error('unreachable'))
      },
    ],
    [
      '`authorize` throws',
      'handler_error',
      ({ types }) => {
        const authorize = () => Promise.reject(new Error('upstream'))
        types.set('note.created', eventType('note.created', { authorize }))
      },
    ],
    [
      '`transform` throws',
      'handler_error',
      ({ types }) => {
        const transform = () => {
          throw new Error('upstream')
        }
        types.set('note.created', eventType('note.created', { transform }))
      },
    ],
    [
      'its callback is not trusted any more',
      'connection_refused',
      (world) => {
        world.ownOrigins = ['https://hooks.example.org']
      },
    ],
  ])('is retried without a request while %s', async (_, reason, fail) => {
    const subscriber = openSubscriber()
    const { renew, ownOrigins } = subscriber.world
    await subscriber.subscribed()
    fail(subscriber.world)
    await subscriber.hand([11])
    await settled(subscriber, 1)
    expect(subscriber.world.reasons('event-delivery')).toEqual([['retried', reason]])
    expect(subscriber.delivered()).toEqual([])
    Object.assign(subscriber.world, { renew, ownOrigins })
    subscriber.world.types.set('note.created', eventType('note.created'))
    advance(MINUTE_MS)
    await subscriber.alarm()
    await settled(subscriber, 2)
    expect(idsOf(subscriber.delivered())).toEqual(['evt_11'])
  })
})

describe('a subscription whose callback fails', () => {
  /** Hands a hundred events over, whose attempts all fail. */
  async function suspend(subscriber: ReturnType<typeof openSubscriber>): Promise<void> {
    subscriber.world.answer = () => new Response(null, { status: 500 })
    for (let first = 11; first < 111; first += 20) {
      await subscriber.hand(Array.from({ length: 20 }, (_, index) => first + index))
      await settled(subscriber, first + 9)
    }
  }

  it('for a hundred attempts is suspended, keeps its events, and resumes with a refresh', async () => {
    const subscriber = openSubscriber()
    await subscriber.subscribed()
    await suspend(subscriber)
    expect(subscriber.world.reasons('event-subscription').at(-1)).toEqual(['suspended', 'http_5xx'])
    await subscriber.hand([111])
    await subscriber.kill()
    advance(HOUR_MS)
    await subscriber.alarm()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(subscriber.delivered()).toHaveLength(100)
    expect(await subscriber.stub().subscriptions()).toMatchObject([
      { state: 'suspended', pending: 101, lastError: 'http_5xx' },
    ])
    subscriber.world.answer = echoOrAccept
    expect(await subscriber.subscribed()).toMatchObject({
      truncated: false,
      position: { position: 10 },
      status: { active: false, lastError: 'http_5xx' },
    })
    for (const outcomes of [140, 180, 201]) {
      await settled(subscriber, outcomes)
      await subscriber.alarm()
    }
    const ids = new Set(idsOf(subscriber.delivered().slice(100)))
    expect(ids.size).toBe(101)
    expect(await subscriber.subscribed()).toMatchObject({
      status: { active: true, lastError: null },
    })
  })

  it('stays suspended when a refresh fails', async () => {
    const subscriber = openSubscriber()
    await subscriber.subscribed()
    await suspend(subscriber)
    expect(await subscriber.subscribe({ secret: OTHER_SECRET })).toMatchObject({ ok: false })
    expect(await subscriber.stub().subscriptions()).toMatchObject([{ state: 'suspended' }])
  })

  it('expires while it is suspended', async () => {
    const subscriber = openSubscriber()
    await subscriber.subscribed()
    await suspend(subscriber)
    advance(6 * HOUR_MS)
    await subscriber.alarm()
    expect(await subscriber.rows('outbox')).toEqual([])
    expect(subscriber.world.registrations.size).toBe(0)
  })
})
