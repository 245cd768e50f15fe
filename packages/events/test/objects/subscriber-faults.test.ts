/** The object of a principal, killed at every place where it waits: nothing is lost, and duplicates have the same id. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MINUTE_MS, useFakeClock } from '../../../../test/durable-objects/fake-clock.ts'
import { parseCursor } from '../../src/objects/cursor.ts'
import { PLACES } from '../../src/objects/subscriber/isolate-places.ts'
import {
  advance,
  idsOf,
  isSignedWith,
  type OpenSubscriber,
  OTHER_SECRET,
  openSubscriber,
  SECRET,
} from './subscriber.ts'
import { echoOrAccept, eventType, type World } from './subscriber-world.ts'
import { REPEATED } from './times.ts'

useFakeClock()

/** Whose object is killed at operations of the platform. */
let current: World | undefined

/** A killed object gives its places back after seconds, in which a repeated test would begin many times. */
beforeEach(() => {
  while (PLACES.isFree()) PLACES.take()
  PLACES.isFree(performance.now() + MINUTE_MS)
})

beforeEach(() => {
  const { digest, sign } = crypto.subtle
  vi.spyOn(crypto.subtle, 'digest').mockImplementation(async (...parameters) => {
    await current?.step('digest')
    return digest.apply(crypto.subtle, parameters)
  })
  vi.spyOn(crypto.subtle, 'sign').mockImplementation(async (...parameters) => {
    await current?.step('sign')
    return sign.apply(crypto.subtle, parameters)
  })
})

afterEach(() => {
  vi.restoreAllMocks()
  current = undefined
})

/** Runs `work` and kills the object at its n-th step. Returns whether it was killed. */
async function killedAt(
  step: number,
  { world }: OpenSubscriber,
  work: () => Promise<unknown>,
  isDone: () => boolean,
): Promise<boolean> {
  world.steps = []
  world.killAt = step
  current = world
  await work().catch(() => undefined)
  await vi.waitUntil(() => world.steps.length >= step || isDone(), { interval: 2, timeout: 20_000 })
  const wasKilled = world.steps.length >= step
  world.killAt = 0
  current = undefined
  return wasKilled
}

/** Each step of an operation that has so many, at least. */
async function atEachStep(
  least: number,
  test: (
    step: number,
  ) => Promise<{ readonly wasKilled: boolean; readonly steps: readonly string[] }>,
): Promise<readonly string[]> {
  for (let step = 1; ; step++) {
    const { wasKilled, steps } = await test(step)
    if (wasKilled) continue
    expect(step).toBeGreaterThan(least)
    return steps
  }
}

/** Runs the alarm as long as there is one, as the platform does. */
async function runAlarms(subscriber: OpenSubscriber): Promise<void> {
  for (let turn = 0; turn < 20; turn++) {
    advance(MINUTE_MS)
    await subscriber.alarm()
    await vi.waitUntil(async () => (await isIdle(subscriber)) || turn === 19, { interval: 5 })
    if ((await subscriber.rows('outbox')).length === 0) return
  }
}

/** Whether every event waits for a time to come. */
async function isIdle(subscriber: OpenSubscriber): Promise<boolean> {
  const due = await subscriber.query(
    `SELECT 1 FROM outbox WHERE next_at <= ${Date.now()} OR begun > attempts`,
  )
  return due.length === 0
}

describe('a request for a subscription whose object is killed at any step', REPEATED, () => {
  const request = async (step: number) => {
    const subscriber = openSubscriber()
    let isDone = false
    const work = async () => {
      await subscriber.subscribe()
      isDone = true
    }
    const wasKilled = await killedAt(step, subscriber, work, () => isDone)
    return { subscriber, wasKilled, steps: subscriber.world.steps }
  }

  it('leaves nothing behind when its client gives up', async () => {
    const steps = await atEachStep(8, async (step) => {
      const result = await request(step)
      const { subscriber, wasKilled } = result
      if (!wasKilled) return result
      advance(6 * MINUTE_MS)
      await subscriber.alarm()
      expect(await subscriber.stub().subscriptions()).toEqual([])
      expect([...subscriber.world.registrations.keys()]).toEqual([])
      return result
    })
    expect(new Set(steps)).toEqual(
      new Set(['digest', 'sign', 'fetch', 'received', 'seal', 'register', 'registered']),
    )
  })

  it('is completed when its client repeats it, and delivers events', async () => {
    await atEachStep(8, async (step) => {
      const result = await request(step)
      const { subscriber, wasKilled } = result
      if (!wasKilled) return result
      expect(await subscriber.subscribed()).toMatchObject({ status: undefined })
      expect(subscriber.world.registrations.size).toBe(1)
      await subscriber.hand([11])
      await expect.poll(() => idsOf(subscriber.delivered())).toEqual(['evt_11'])
      return result
    })
  })

  it('leaves the subscription that it refreshes as it is, or completes the refresh', async () => {
    await atEachStep(8, async (step) => {
      const subscriber = openSubscriber()
      await subscriber.subscribed()
      let isDone = false
      const work = async () => {
        await subscriber.subscribe({ secret: OTHER_SECRET })
        isDone = true
      }
      const wasKilled = await killedAt(step, subscriber, work, () => isDone)
      const { steps } = subscriber.world
      await subscriber.alarm()
      expect(subscriber.world.registrations.size).toBe(1)
      await subscriber.hand([11])
      await expect.poll(() => idsOf(subscriber.delivered())).toEqual(['evt_11'])
      const [event] = subscriber.delivered()
      // During the overlap both secrets sign.
      expect(event && (await isSignedWith(event, SECRET))).toBe(true)
      expect(event && (await isSignedWith(event, OTHER_SECRET))).toBe(!wasKilled)
      return { wasKilled, steps }
    })
  })
})

describe('deliveries whose object is killed at any step', REPEATED, () => {
  const POSITIONS = [11, 12, 13]
  const IDS = POSITIONS.map((position) => `evt_${position}`)

  const expectAllDelivered = (subscriber: OpenSubscriber): void => {
    const received = new Set<string>()
    for (const { headers, message } of subscriber.delivered()) {
      expect(headers.get('webhook-id')).toBe(message.eventId)
      received.add(String(message.eventId))
      // The client continues after its cursor: it must have received everything before it.
      const { position = 0 } = parseCursor(String(message.cursor)) ?? {}
      const before = POSITIONS.filter((other) => other <= position)
      expect([...received]).toEqual(expect.arrayContaining(before.map((other) => `evt_${other}`)))
    }
    expect([...received].sort()).toEqual(IDS)
  }

  it('are completed by the alarm, with duplicates of the same id alone', async () => {
    let duplicates = 0
    const steps = await atEachStep(25, async (step) => {
      const subscriber = openSubscriber()
      await subscriber.subscribed()
      const { world } = subscriber
      const done = () => subscriber.world.reasons('event-delivery').length === 3
      let isAccepted = false
      const hand = async () => {
        await subscriber.hand(POSITIONS)
        isAccepted = true
      }
      const wasKilled = await killedAt(step, subscriber, hand, done)
      const { steps } = world
      // A page that was not accepted is handed over again.
      if (!isAccepted) await hand()
      await runAlarms(subscriber)
      expect(await subscriber.rows('outbox')).toEqual([])
      expectAllDelivered(subscriber)
      duplicates += subscriber.delivered().length - IDS.length
      return { wasKilled, steps }
    })
    expect(duplicates).toBeGreaterThan(0)
    expect(new Set(steps)).toEqual(
      new Set([
        'open',
        'renew',
        'checkArguments',
        'authorize',
        'transform',
        'sign',
        'fetch',
        'received',
      ]),
    )
  }, 240_000)

  it('are completed when their last attempt is interrupted', async () => {
    const subscriber = openSubscriber({ retryDelaysMs: [1000] })
    await subscriber.subscribed()
    const { world } = subscriber
    world.answer = () => new Response(null, { status: 500 })
    await subscriber.hand([11])
    await expect.poll(() => world.reasons('event-delivery').length).toBe(1)
    world.answer = echoOrAccept
    for (let kills = 0; kills < 3; kills++) {
      advance(2000)
      world.steps = []
      const received = subscriber.delivered().length
      await killedAt(
        9,
        subscriber,
        () => subscriber.alarm(),
        () => subscriber.delivered().length > received,
      )
    }
    advance(2000)
    await subscriber.alarm()
    await expect.poll(() => subscriber.rows('outbox')).toEqual([])
    expect(world.reasons('event-delivery').at(-1)).toEqual(['delivered'])
  })

  it('are given up when they kill the object each time', async () => {
    const subscriber = openSubscriber()
    await subscriber.subscribed()
    let calls = 0
    const authorize = async () => {
      calls += 1
      subscriber.world.kill()
      return new Promise<never>(() => undefined)
    }
    subscriber.world.types.set('note.created', eventType('note.created', { authorize }))
    await subscriber.hand([11]).catch(() => subscriber.hand([11]))
    for (let turn = 0; turn < 25; turn++) {
      await vi.waitUntil(() => calls > turn || calls === 20, { interval: 2 })
      advance(MINUTE_MS)
      await subscriber.alarm().catch(() => undefined)
    }
    expect(calls).toBe(20)
    expect(subscriber.world.reasons('event-delivery')).toEqual([['abandoned', 'interrupted']])
    expect(await subscriber.rows('outbox')).toEqual([])
  })
})

describe('the end of a subscription whose object is killed at any step', REPEATED, () => {
  it('is complete: nothing is delivered, and its log forgets it', async () => {
    await atEachStep(2, async (step) => {
      const subscriber = openSubscriber()
      await subscriber.subscribed()
      let isDone = false
      const work = async () => {
        isDone = await subscriber.unsubscribe()
        await vi.waitUntil(() => subscriber.world.registrations.size === 0)
      }
      const wasKilled = await killedAt(
        step,
        subscriber,
        work,
        () => isDone && subscriber.world.registrations.size === 0,
      )
      const { steps } = subscriber.world
      // The client repeats a request that was not answered.
      if (!isDone) expect(await subscriber.unsubscribe()).toBe(true)
      advance(MINUTE_MS)
      await subscriber.alarm()
      await expect.poll(() => subscriber.world.registrations.size).toBe(0)
      expect(await subscriber.stub().subscriptions()).toEqual([])
      await subscriber.hand([11])
      expect(subscriber.delivered()).toEqual([])
      return { wasKilled, steps }
    })
  })
})
