/** The attempts of deliveries: which secrets sign them, and how many are made at the same time. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  DAY_MS,
  MINUTE_MS,
  NOON,
  useFakeClock,
} from '../../../../test/durable-objects/fake-clock.ts'
import {
  advance,
  heldAnswers,
  idsOf,
  isSignedWith,
  type OpenSubscriber,
  OTHER_SECRET,
  occurrence,
  openSubscriber,
  SECRET,
  settled,
  URL_A,
  until,
} from './subscriber.ts'
import { echoOrAccept, eventType } from './subscriber-world.ts'

useFakeClock()

const status = (code: number) => () => new Response(null, { status: code })

describe('a new secret', () => {
  it('signs beside the earlier one for ten minutes, also what is retried', async () => {
    const subscriber = openSubscriber()
    await subscriber.subscribed()
    subscriber.world.answer = status(503)
    await subscriber.hand([11])
    await settled(subscriber, 1)
    subscriber.world.answer = echoOrAccept
    await subscriber.subscribed({ secret: OTHER_SECRET })
    advance(MINUTE_MS)
    await subscriber.alarm()
    await settled(subscriber, 2)
    advance(9 * MINUTE_MS)
    await subscriber.hand([12])
    await settled(subscriber, 3)
    const signedWith = await Promise.all(
      subscriber
        .delivered()
        .map(async (event) => [
          await isSignedWith(event, OTHER_SECRET),
          await isSignedWith(event, SECRET),
        ]),
    )
    expect(signedWith).toEqual([
      [false, true],
      [true, true],
      [true, false],
    ])
    const [, both] = subscriber.delivered()
    expect(both?.headers.get('webhook-signature')).toMatch(/^v1,\S+ v1,\S+$/)
  })

  it('during an attempt signs that attempt', async () => {
    const subscriber = openSubscriber()
    await subscriber.subscribed()
    let isOpen = false
    subscriber.world.types.set(
      'note.created',
      eventType('note.created', {
        authorize: async () => {
          while (!isOpen) await new Promise((resolve) => setTimeout(resolve, 2))
          return true
        },
      }),
    )
    await subscriber.hand([11])
    await subscriber.subscribed({ secret: OTHER_SECRET })
    isOpen = true
    await settled(subscriber, 1)
    const [event] = subscriber.delivered()
    expect(event && (await isSignedWith(event, OTHER_SECRET))).toBe(true)
  })

  it('that is the same one rotates nothing', async () => {
    const subscriber = openSubscriber()
    await subscriber.subscribed()
    const before = await subscriber.query('SELECT secret, previous_secret FROM subscriptions')
    await subscriber.subscribed()
    expect(await subscriber.query('SELECT secret, previous_secret FROM subscriptions')).toEqual(
      before,
    )
  })

  it('makes the alarm forget the earlier one after the overlap', async () => {
    const subscriber = openSubscriber()
    await subscriber.subscribed()
    await subscriber.subscribed({ secret: OTHER_SECRET })
    // That of the reservation, which is set first, and is never moved to a later time.
    advance(5 * MINUTE_MS)
    await subscriber.alarm()
    expect(await subscriber.alarmAt()).toBe(NOON + 10 * MINUTE_MS)
    advance(5 * MINUTE_MS)
    await subscriber.alarm()
    expect(await subscriber.query('SELECT previous_secret FROM subscriptions')).toEqual([
      { previous_secret: null },
    ])
  })
})

describe('the attempts at one host', () => {
  const other = { url: 'https://other.example.org/hook', secret: OTHER_SECRET }

  it('are eight at the same time, and the others follow', async () => {
    const subscriber = openSubscriber()
    const held = heldAnswers()
    await subscriber.subscribed()
    subscriber.world.answer = held.answer
    const positions = Array.from({ length: 20 }, (_, index) => 11 + index)
    await subscriber.hand(positions)
    await expect.poll(() => subscriber.delivered().length).toBe(8)
    held.open('evt_11')
    await expect.poll(() => subscriber.delivered().length).toBe(9)
    held.open('all')
    await settled(subscriber, 20)
    expect(new Set(idsOf(subscriber.delivered())).size).toBe(20)
  })

  it('that hang do not delay those at others', async () => {
    const subscriber = openSubscriber()
    const held = heldAnswers()
    await subscriber.subscribed()
    await subscriber.subscribed(other)
    subscriber.world.answer = (request) =>
      request.url === URL_A ? held.answer(request) : echoOrAccept(request)
    await subscriber.hand(Array.from({ length: 12 }, (_, index) => 11 + index))
    await settled(subscriber, 12)
    const urls = subscriber.delivered().map(({ url }) => url)
    expect(urls.filter((url) => url === other.url)).toHaveLength(12)
    expect(urls.filter((url) => url === URL_A)).toHaveLength(8)
    held.open('all')
    await settled(subscriber, 24)
  })

  describe('with a callback that hangs', () => {
    const answering = { url: 'https://hooks.example.org/answers', secret: OTHER_SECRET }
    const positions = (count: number, first: number) =>
      Array.from({ length: count }, (_, index) => first + index)

    /** Subscriptions of the callbacks that hang, and of one that answers. */
    async function openHanging(callbacks: number) {
      const subscriber = openSubscriber({ challengesPerMinute: 100 })
      const held = heldAnswers()
      for (let path = 0; path < callbacks; path++) {
        await subscriber.subscribed({ url: `https://hooks.example.org/hangs/${path}` })
      }
      await subscriber.subscribed(answering)
      subscriber.world.answer = (request) =>
        request.url === answering.url ? echoOrAccept(request) : held.answer(request)
      const at = (part: string) => subscriber.delivered().filter(({ url }) => url.includes(part))
      return { subscriber, at }
    }

    it('leave places to a callback that answers', async () => {
      const { subscriber, at } = await openHanging(1)
      await subscriber.hand(positions(30, 11))
      await until(() => at('/answers').length === 30)
    })

    it.each([1, 12])(
      'leave places to a callback that answers, when %i hang after a failure and a restart',
      async (callbacks) => {
        const { subscriber, at } = await openHanging(callbacks)
        const hang = subscriber.world.answer
        subscriber.world.answer = (request) =>
          request.url === answering.url
            ? echoOrAccept(request)
            : new Response(null, { status: 503 })
        await subscriber.hand([11])
        await settled(subscriber, callbacks + 1)
        await subscriber.kill()
        subscriber.world.answer = hang
        const before = at('/hangs').length
        await subscriber.hand(positions(25, 12))
        await until(() => at('/answers').length === 26)
        expect(at('/hangs').length - before).toBe(Math.min(callbacks, 4))
      },
    )
  })

  it('are made one by one after a failure', async () => {
    const subscriber = openSubscriber()
    await subscriber.subscribed()
    subscriber.world.answer = status(503)
    await subscriber.hand([11])
    await settled(subscriber, 1)
    const held = heldAnswers()
    subscriber.world.answer = held.answer
    await subscriber.hand([12, 13, 14])
    await expect.poll(() => subscriber.delivered().length).toBe(2)
    held.open('evt_12')
    await expect.poll(() => subscriber.delivered().length).toBe(4)
    held.open('all')
    await settled(subscriber, 4)
  })

  it('are shared by its subscriptions', async () => {
    const subscriber = openSubscriber()
    await subscriber.subscribed()
    await subscriber.subscribed({ arguments: '{"list":"b"}' })
    const [busy = '', quiet = ''] = subscriber.world.registrations.keys()
    const held = heldAnswers()
    subscriber.world.answer = held.answer
    const hand = (registration: string, positions: readonly number[]) =>
      subscriber.stub().accept({
        name: { type: 'note.created', subject: undefined },
        log: 'log-a',
        entries: positions.map((position) => ({
          occurrence: occurrence(position),
          subscriptions: [registration],
        })),
      })
    await hand(
      busy,
      Array.from({ length: 30 }, (_, index) => 11 + index),
    )
    await expect.poll(() => subscriber.delivered().length).toBe(8)
    await hand(quiet, [90])
    held.open('evt_11')
    await expect.poll(() => idsOf(subscriber.delivered())).toContain('evt_90')
    expect(subscriber.delivered()).toHaveLength(9)
    held.open('all')
    await settled(subscriber, 31)
  })

  it('of one turn are forty, and the alarm begins the next ones', async () => {
    const subscriber = openSubscriber()
    await subscriber.subscribed()
    await subscriber.hand(Array.from({ length: 50 }, (_, index) => 11 + index))
    await settled(subscriber, 40)
    expect(await subscriber.alarmAt()).toBe(NOON)
    await subscriber.alarm()
    await settled(subscriber, 50)
  })
})

describe('an attempt that has been signed and not sent', () => {
  /** Holds the first signature from now on, until the test opens it. */
  function holdSignature() {
    const { sign } = crypto.subtle
    let isOpen = false
    let calls = 0
    vi.spyOn(crypto.subtle, 'sign').mockImplementation(async (...parameters) => {
      const isHeld = ++calls === 1
      const signature = await sign.apply(crypto.subtle, parameters)
      while (isHeld && !isOpen) await new Promise((resolve) => setTimeout(resolve, 2))
      return signature
    })
    return {
      isHeld: () => calls > 0,
      open: () => {
        isOpen = true
      },
    }
  }

  afterEach(() => {
    vi.restoreAllMocks()
  })

  it.each<[string, (subscriber: OpenSubscriber) => Promise<unknown>]>([
    ['unsubscribed', (subscriber) => subscriber.unsubscribe()],
    ['ended', (subscriber) => subscriber.stub().end({ name: 'Forbidden', data: {} })],
    ['erased', (subscriber) => subscriber.stub().erase()],
    ['expired', async () => advance(DAY_MS)],
    ['suspended', (subscriber) => subscriber.query("UPDATE subscriptions SET state = 'suspended'")],
    [
      'replaced',
      async (subscriber) => {
        await subscriber.unsubscribe()
        await subscriber.subscribed()
      },
    ],
  ])('is not sent when its subscription is %s', async (_, end) => {
    const subscriber = openSubscriber()
    await subscriber.subscribed()
    const signature = holdSignature()
    await subscriber.hand([11])
    await until(signature.isHeld)
    await end(subscriber)
    signature.open()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(subscriber.delivered()).toEqual([])
  })

  it('is signed again when the secret is another one', async () => {
    const subscriber = openSubscriber({}, { callbacks: { trusted: ['https://hooks.example.org'] } })
    await subscriber.subscribed()
    const signature = holdSignature()
    await subscriber.hand([11])
    await until(signature.isHeld)
    await subscriber.subscribed({ secret: OTHER_SECRET })
    signature.open()
    await settled(subscriber, 1)
    const [event, ...others] = subscriber.delivered()
    expect(others).toEqual([])
    expect(event && (await isSignedWith(event, OTHER_SECRET))).toBe(true)
  })
})
