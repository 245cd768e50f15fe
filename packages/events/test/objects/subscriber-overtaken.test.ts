/** Requests for subscriptions that another request, an end or the expiry overtakes. */
import { describe, expect, it } from 'vitest'
import { HOUR_MS, MINUTE_MS, useFakeClock } from '../../../../test/durable-objects/fake-clock.ts'
import {
  advance,
  idsOf,
  isSignedWith,
  OTHER_SECRET,
  openSubscriber,
  SECRET,
  settled,
} from './subscriber.ts'
import { echoOrAccept } from './subscriber-world.ts'

useFakeClock()

describe('a request for a subscription that something overtakes', () => {
  const slow = (subscriber: ReturnType<typeof openSubscriber>) => {
    let isOpen = false
    subscriber.world.answer = async (request) => {
      while (!isOpen) await new Promise((resolve) => setTimeout(resolve, 2))
      return echoOrAccept(request)
    }
    return () => {
      isOpen = true
    }
  }
  const SUPERSEDED = {
    ok: false,
    error: { name: 'ResourceExhausted', data: { limit: 'concurrent_requests', max: 1 } },
  }

  it('does not revive what was unsubscribed', async () => {
    const subscriber = openSubscriber()
    const open = slow(subscriber)
    const result = subscriber.subscribe()
    await expect.poll(() => subscriber.world.received.length).toBe(1)
    expect(await subscriber.unsubscribe()).toBe(true)
    open()
    expect(await result).toEqual(SUPERSEDED)
    expect(await subscriber.stub().subscriptions()).toEqual([])
    expect(subscriber.world.registrations.size).toBe(0)
    expect(await subscriber.hand([11])).toEqual([])
  })

  it('does not revive what was unsubscribed while the log registered it', async () => {
    const subscriber = openSubscriber()
    let isOpen = false
    subscriber.world.register = async () => {
      while (!isOpen) await new Promise((resolve) => setTimeout(resolve, 2))
      return { log: 'log-a', position: 10, truncated: false }
    }
    const result = subscriber.subscribe()
    await expect.poll(() => subscriber.world.registrations.size).toBe(1)
    const [registration = ''] = subscriber.world.registrations.keys()
    expect(await subscriber.unsubscribe()).toBe(true)
    isOpen = true
    expect(await result).toEqual(SUPERSEDED)
    expect(await subscriber.stub().subscriptions()).toEqual([])
    // Once by the end, and once because the log may have registered it afterwards.
    await expect.poll(() => subscriber.world.unregistered).toEqual([registration, registration])
  })

  it.each([
    { method: 'end', error: { name: 'Forbidden', data: { reason: 'Access revoked' } } },
    { method: 'erase', error: SUPERSEDED.error },
  ] as const)('does not revive what `$method` has ended', async ({ method, error }) => {
    const subscriber = openSubscriber()
    const open = slow(subscriber)
    const result = subscriber.subscribe()
    await expect.poll(() => subscriber.world.received.length).toBe(1)
    const reason = { name: 'Forbidden', data: { reason: 'Access revoked' } } as const
    expect(await subscriber.stub()[method](reason)).toBe(1)
    open()
    expect(await result).toEqual({ ok: false, error })
    expect(await subscriber.stub().subscriptions()).toEqual([])
    await subscriber.alarm()
    expect(subscriber.world.registrations.size).toBe(0)
  })

  it('continues what has expired meanwhile, of which nothing is delivered before', async () => {
    const subscriber = openSubscriber()
    await subscriber.subscribed({ ttlMs: HOUR_MS })
    advance(HOUR_MS - 1)
    const open = slow(subscriber)
    const result = subscriber.subscribe({ secret: OTHER_SECRET })
    await expect.poll(() => subscriber.world.received.length).toBe(2)
    advance(MINUTE_MS)
    expect(await subscriber.hand([11])).toEqual([])
    await subscriber.alarm()
    expect(await subscriber.alarmAt()).toBeGreaterThan(Date.now())
    expect(subscriber.delivered()).toEqual([])
    open()
    expect(await result).toMatchObject({ ok: true, value: { status: { active: true } } })
    await settled(subscriber, 1)
    expect(idsOf(subscriber.delivered())).toEqual(['evt_11'])
  })

  it('that fails ends what has expired meanwhile', async () => {
    const subscriber = openSubscriber()
    await subscriber.subscribed({ ttlMs: HOUR_MS })
    advance(HOUR_MS - 1)
    let isOpen = false
    subscriber.world.answer = async () => {
      while (!isOpen) await new Promise((resolve) => setTimeout(resolve, 2))
      return new Response(null, { status: 500 })
    }
    const result = subscriber.subscribe({ secret: OTHER_SECRET })
    await expect.poll(() => subscriber.world.received.length).toBe(2)
    advance(1)
    await subscriber.alarm()
    isOpen = true
    expect(await result).toMatchObject({ ok: false, error: { data: { reason: 'http_5xx' } } })
    expect(await subscriber.stub().subscriptions()).toEqual([])
  })

  it('leaves the key to a later request', async () => {
    const subscriber = openSubscriber()
    const open = slow(subscriber)
    const first = subscriber.subscribe()
    await expect.poll(() => subscriber.world.received.length).toBe(1)
    const second = subscriber.subscribe({ secret: OTHER_SECRET })
    await expect.poll(() => subscriber.world.received.length).toBe(2)
    open()
    expect(await first).toEqual(SUPERSEDED)
    expect(await second).toMatchObject({ ok: true })
    expect(await subscriber.stub().subscriptions()).toHaveLength(1)
    expect(subscriber.world.registrations.size).toBe(1)
  })

  it.each([false, true])(
    'while the log registers it leaves the key to a later request (unsubscribed before: %s)',
    async (unsubscribes) => {
      const subscriber = openSubscriber()
      let isOpen = false
      subscriber.world.register = async () => {
        while (!isOpen) await new Promise((resolve) => setTimeout(resolve, 2))
        return { log: 'log-a', position: 10, truncated: false }
      }
      const first = subscriber.subscribe()
      await expect.poll(() => subscriber.world.registrations.size).toBe(1)
      subscriber.world.register = undefined
      if (unsubscribes) await subscriber.unsubscribe()
      await subscriber.subscribed({ secret: OTHER_SECRET })
      isOpen = true
      expect(await first).toEqual(SUPERSEDED)
      await expect.poll(() => subscriber.world.registrations.size).toBe(1)
      await subscriber.hand([11])
      await settled(subscriber, 1)
      const [event] = subscriber.delivered()
      expect(event && (await isSignedWith(event, OTHER_SECRET))).toBe(true)
      expect(event && (await isSignedWith(event, SECRET))).toBe(false)
    },
  )

  it('is delivered what was accepted before its activation', async () => {
    const subscriber = openSubscriber()
    subscriber.world.register = async () => {
      await new Promise((resolve) => setTimeout(resolve, 50))
      return { log: 'log-a', position: 10, truncated: false }
    }
    const result = subscriber.subscribe()
    await expect.poll(() => subscriber.world.registrations.size).toBe(1)
    expect(await subscriber.hand([11, 12])).toEqual([])
    expect(subscriber.delivered()).toEqual([])
    expect(await result).toMatchObject({ ok: true, value: { position: { position: 10 } } })
    await settled(subscriber, 2)
    expect(idsOf(subscriber.delivered()).sort()).toEqual(['evt_11', 'evt_12'])
  })
})
