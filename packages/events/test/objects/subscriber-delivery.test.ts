/** Deliveries to a callback: requests, cursors, retries, and what settles an event. */
import { describe, expect, it } from 'vitest'
import {
  MINUTE_MS,
  NOON,
  SECOND_MS,
  useFakeClock,
} from '../../../../test/durable-objects/fake-clock.ts'
import { parseCursor } from '../../src/objects/cursor.ts'
import {
  advance,
  idsOf,
  isSignedWith,
  OTHER_SECRET,
  occurrence,
  openSubscriber,
  SECRET,
  settled,
  URL_A,
} from './subscriber.ts'
import { echoOrAccept, eventType, type Received } from './subscriber-world.ts'

useFakeClock()

const status = (code: number) => () => new Response(null, { status: code })

const positionsOf = (received: readonly Received[]) =>
  received.map(({ message }) => parseCursor(String(message.cursor))?.position)

describe('a subscription from its challenge to its end', () => {
  it('receives an event that is signed with its secret, and nothing after it was unsubscribed', async () => {
    const subscriber = openSubscriber()
    const { id } = await subscriber.subscribed()
    const [registration] = subscriber.world.registrations.keys()
    await subscriber.hand([11])
    await settled(subscriber, 1)
    const [event] = subscriber.delivered()
    if (event === undefined) throw new Error('Nothing was delivered')
    // Its query is kept byte for byte.
    expect(event.url).toBe(URL_A)
    expect(await isSignedWith(event, SECRET)).toBe(true)
    expect(await isSignedWith(event, OTHER_SECRET)).toBe(false)
    expect(Object.fromEntries(event.headers)).toEqual({
      'content-type': 'application/json',
      'user-agent': 'edgeway',
      'webhook-id': 'evt_11',
      'webhook-timestamp': String(NOON / SECOND_MS),
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
      'x-mcp-subscription-id': id,
    })
    expect(event.message).toEqual({
      eventId: 'evt_11',
      name: 'note.created',
      timestamp: new Date(NOON).toISOString(),
      data: { note: 11 },
      cursor: expect.any(String),
    })
    expect(positionsOf([event])).toEqual([11])
    expect(await subscriber.unsubscribe()).toBe(true)
    await expect.poll(() => subscriber.world.unregistered).toEqual([registration])
    const page = {
      name: { type: 'note.created', subject: undefined },
      log: 'log-a',
      entries: [{ occurrence: occurrence(12), subscriptions: [registration ?? ''] }],
    }
    expect(await subscriber.stub().accept(page)).toEqual([registration])
    advance(MINUTE_MS)
    await subscriber.alarm()
    expect(idsOf(subscriber.delivered())).toEqual(['evt_11'])
  })
})

describe('a page of the log', () => {
  it('names the registrations that do not exist, without storage', async () => {
    const subscriber = openSubscriber()
    const page = {
      name: { type: 'note.created', subject: undefined },
      log: 'log-a',
      entries: [
        { occurrence: occurrence(1), subscriptions: ['sub_1', 'sub_2'] },
        { occurrence: occurrence(2), subscriptions: ['sub_1'] },
      ],
    }
    expect(await subscriber.stub().accept(page)).toEqual(['sub_1', 'sub_2'])
    expect(await subscriber.query("SELECT name FROM sqlite_master WHERE name = 'outbox'")).toEqual(
      [],
    )
  })

  it('with lost occurrences is delivered after a gap, and refreshes say so', async () => {
    const subscriber = openSubscriber()
    await subscriber.subscribed()
    await subscriber.hand([20, 21], { truncated: true })
    await settled(subscriber, 3)
    const [gap, ...others] = subscriber.envelopes('gap')
    if (gap === undefined) throw new Error('No gap was sent')
    expect(others).toEqual([])
    expect(gap.message).toEqual({ type: 'gap', cursor: expect.any(String) })
    expect(gap.headers.get('webhook-id')).toMatch(/^msg_gap_[A-Za-z0-9_-]{22}$/)
    expect(await isSignedWith(gap, SECRET)).toBe(true)
    // Each cursor is safe: the events and the gap were sent at the same time.
    for (const position of positionsOf([gap, ...subscriber.delivered()])) {
      expect(position).toBe(19)
    }
    expect(await subscriber.subscribed()).toMatchObject({ truncated: true })
    expect(await subscriber.subscribed()).toMatchObject({ truncated: false })
  })

  it('with lost occurrences of a type without cursors is delivered without a gap', async () => {
    const subscriber = openSubscriber()
    subscriber.world.types.set('note.created', eventType('note.created', { historyMs: 0 }))
    await subscriber.subscribed()
    await subscriber.hand([20], { truncated: true })
    await settled(subscriber, 1)
    expect(subscriber.envelopes('gap')).toEqual([])
    expect(await subscriber.subscribed()).toMatchObject({ truncated: false })
  })

  it('above the bytes of the object loses the oldest events, and a gap follows', async () => {
    const subscriber = openSubscriber({ bytesPerObject: 1, retryDelaysMs: [1000, 1000] })
    await subscriber.subscribed()
    subscriber.world.answer = status(503)
    await subscriber.hand([11, 12])
    await subscriber.hand([13])
    const waiting = 'SELECT position, data IS NULL AS gap FROM outbox ORDER BY position'
    await expect.poll(() => subscriber.query(waiting)).toEqual([{ position: 12, gap: 1 }])
  })
})

describe('the cursor of an event', () => {
  it('never passes an earlier event that is not settled', async () => {
    const subscriber = openSubscriber()
    await subscriber.subscribed()
    subscriber.world.answer = ({ message }) =>
      new Response(null, { status: message.eventId === 'evt_12' ? 503 : 204 })
    await subscriber.hand([11])
    await settled(subscriber, 1)
    await subscriber.hand([12])
    await settled(subscriber, 2)
    await subscriber.hand([14])
    await settled(subscriber, 3)
    subscriber.world.answer = echoOrAccept
    await subscriber.hand([17])
    await settled(subscriber, 4)
    advance(MINUTE_MS)
    await subscriber.alarm()
    await settled(subscriber, 5)
    await subscriber.hand([18])
    await settled(subscriber, 6)
    expect(idsOf(subscriber.delivered())).toEqual([
      'evt_11',
      'evt_12',
      'evt_14',
      'evt_17',
      'evt_12',
      'evt_18',
    ])
    expect(positionsOf(subscriber.delivered())).toEqual([11, 12, 11, 11, 12, 18])
  })
})

describe('an attempt that fails', () => {
  it('is repeated after each pause, with the same id, a new time and a new signature', async () => {
    const subscriber = openSubscriber()
    await subscriber.subscribed()
    subscriber.world.answer = status(503)
    await subscriber.hand([11])
    await settled(subscriber, 1)
    for (const [index, pause] of [30, 120, 600].entries()) {
      advance(pause * SECOND_MS - 1)
      await subscriber.alarm()
      expect(subscriber.delivered()).toHaveLength(index + 1)
      advance(1)
      await subscriber.alarm()
      await settled(subscriber, index + 2)
    }
    expect(subscriber.world.reasons('event-delivery')).toEqual([
      ['retried', 'http_5xx'],
      ['retried', 'http_5xx'],
      ['retried', 'http_5xx'],
      ['abandoned', 'http_5xx'],
    ])
    const events = subscriber.delivered()
    expect(idsOf(events)).toEqual(Array(4).fill('evt_11'))
    expect(new Set(events.map(({ headers }) => headers.get('webhook-timestamp'))).size).toBe(4)
    expect(new Set(events.map(({ headers }) => headers.get('webhook-signature'))).size).toBe(4)
    for (const event of events) expect(await isSignedWith(event, SECRET)).toBe(true)
    expect(new Set(events.map(({ body }) => body)).size).toBe(1)
    expect(await subscriber.rows('outbox')).toEqual([])
  })

  it.each([301, 302, 303, 307, 308])(
    'with the redirect %i is repeated at the same URL',
    async (code) => {
      const subscriber = openSubscriber()
      await subscriber.subscribed()
      subscriber.world.answer = () =>
        new Response(null, { status: code, headers: { location: 'https://other.example.org/' } })
      await subscriber.hand([11])
      await settled(subscriber, 1)
      advance(MINUTE_MS)
      await subscriber.alarm()
      await settled(subscriber, 2)
      expect(subscriber.delivered().map(({ url }) => url)).toEqual([URL_A, URL_A])
      expect(subscriber.world.requests.every(({ init }) => init.redirect === 'manual')).toBe(true)
    },
  )

  it('by a timeout is aborted and repeated', async () => {
    const subscriber = openSubscriber({ deliveryTimeoutMs: 50 })
    await subscriber.subscribed()
    let aborted = 0
    subscriber.world.answer = (_, signal) =>
      new Promise(() => signal?.addEventListener('abort', () => void aborted++))
    await subscriber.hand([11])
    await settled(subscriber, 1)
    expect(subscriber.world.reasons('event-delivery')).toEqual([['retried', 'timeout']])
    expect(aborted).toBe(1)
  })

  it('by an error of the connection says nothing of that error', async () => {
    const subscriber = openSubscriber()
    await subscriber.subscribed()
    subscriber.world.answer = () => Promise.reject(new Error('10.0.0.7 refused'))
    await subscriber.hand([11])
    await settled(subscriber, 1)
    expect(subscriber.world.reasons('event-delivery')).toEqual([['retried', 'connection_refused']])
    expect(JSON.stringify(subscriber.world.events)).not.toContain('10.0.0.7')
    expect(JSON.stringify(await subscriber.rows('subscriptions'))).not.toContain('10.0.0.7')
  })

  it('does not read the answer of the callback', async () => {
    const subscriber = openSubscriber()
    await subscriber.subscribed()
    let isCancelled = false
    subscriber.world.answer = () =>
      new Response(
        new ReadableStream({
          cancel: () => {
            isCancelled = true
          },
        }),
      )
    await subscriber.hand([11])
    await settled(subscriber, 1)
    expect(isCancelled).toBe(true)
  })
})

describe('an event above 262,144 bytes', () => {
  it.each([
    [262_144, 'delivered'],
    [262_145, 'dropped'],
  ])('in its body of %i bytes is %s', async (bytes, outcome) => {
    const subscriber = openSubscriber()
    await subscriber.subscribed()
    await subscriber.hand([11])
    await settled(subscriber, 1)
    const [first] = subscriber.delivered()
    const rest = new TextEncoder().encode(first?.body ?? '').byteLength - '11'.length
    const padded = JSON.stringify({ note: 'ä'.repeat(8).padEnd(bytes - rest - 2 - 8, 'a') })
    await subscriber.hand([12], { occurrence: occurrence(12, padded) })
    await settled(subscriber, 2)
    expect(subscriber.world.reasons('event-delivery')[1]?.[0]).toBe(outcome)
    const sent = subscriber.delivered()[1]?.body
    expect(sent && new TextEncoder().encode(sent).byteLength).toBe(
      outcome === 'delivered' ? bytes : undefined,
    )
  })
})
