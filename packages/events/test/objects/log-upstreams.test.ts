/** The author's listeners at the upstream of an event type: when they are started and stopped. */
// features: events
import { describe, expect, it, vi } from 'vitest'
import {
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  NOON,
  useFakeClock,
} from '../../../../test/durable-objects/fake-clock.ts'
import type { UpstreamLease } from '../../src/compiled-event-type.ts'
import { FROM_NOW, NAME, openLog, TYPE } from './log.ts'

useFakeClock()

const LEASE = { arguments: '{"repo":"a"}', forMs: 5 * MINUTE_MS, holder: 'ada' }

async function openUpstream(personal?: string) {
  const calls: string[] = []
  const state = { startFails: false, stopFails: false }
  const record = (operation: 'start' | 'stop') => async (lease: UpstreamLease) => {
    calls.push(`${operation} ${lease.arguments.repo}${lease.subject ? ` ${lease.subject}` : ''}`)
    expect(lease.env).toEqual({ ofTheTest: true })
    await new Promise((resolve) => setTimeout(resolve))
    if (state[`${operation}Fails`]) throw new Error(`${operation} is broken`)
  }
  const upstream = {
    start: record('start'),
    stop: record('stop'),
    pollLeaseMs: 5 * MINUTE_MS,
  }
  const name = { type: TYPE, subject: personal }
  const limits = { upstreamsPerPrincipal: 2 }
  const log = await openLog({ type: { upstream }, limits }, name)
  const lease = (changed: Partial<typeof LEASE> = {}) =>
    log.objects.lease(name, { ...LEASE, ...changed })
  const at = async (minutes: number) => {
    vi.setSystemTime(NOON + minutes * MINUTE_MS)
    await log.runDue()
  }
  const rows = () => log.rows<{ arguments: string }>('SELECT arguments FROM listeners')
  return { log, calls, state, lease, at, rows }
}

describe('a listener at the upstream', () => {
  it('is started once for all polls with its arguments, and stopped after the last one', async () => {
    const { calls, lease, at } = await openUpstream()
    await Promise.all([lease(), lease(), lease({ arguments: '{"repo":"b"}' })])
    expect(calls.toSorted()).toEqual(['start a', 'start b'])
    for (const minutes of [2, 4, 6, 8]) {
      await at(minutes)
      await lease()
    }
    expect(calls.slice(2)).toEqual(['stop b'])
    await at(12)
    expect(calls).not.toContain('stop a')
    await at(18)
    expect(calls.slice(3)).toEqual(['stop a'])
    await at(60)
    expect(calls).toHaveLength(4)
  })

  it('is refused for one more than the arguments that a holder may have, until one lease has ended', async () => {
    const { calls, lease, at } = await openUpstream()
    const leaseOf = (repo: string, holder: string) =>
      lease({ arguments: JSON.stringify({ repo }), holder })
    expect(await leaseOf('a', 'ada')).toBeUndefined()
    await at(4)
    expect(await leaseOf('b', 'ada')).toBeUndefined()
    expect(await leaseOf('c', 'ada')).toBe('full')
    expect(await leaseOf('a', 'ada')).toBeUndefined()
    expect(await leaseOf('c', 'bob')).toBeUndefined()
    expect(calls).toEqual(['start a', 'start b', 'start c'])
    await at(9)
    expect(await leaseOf('d', 'ada')).toBeUndefined()
    expect(await leaseOf('e', 'ada')).toBeUndefined()
    expect(await leaseOf('f', 'ada')).toBe('full')
  })

  it('of a personal type is started for its person', async () => {
    const { calls, lease, at } = await openUpstream('ada')
    await lease()
    await at(20)
    expect(calls).toEqual(['start a ada', 'stop a ada'])
  })

  it('is started again after a restart, before the next turn of the alarm', async () => {
    const { log, calls, lease } = await openUpstream()
    await lease()
    await log.register('ada', { arguments: '{"repo":"a"}' })
    await log.evict()
    await log.emit({ repo: 'a' })
    await log.runDue()
    expect(calls).toEqual(['start a', 'start a'])
    await log.emit({ repo: 'a' })
    await log.runDue()
    expect(calls).toHaveLength(2)
    expect(log.received()).toEqual({ ada: [1, 2] })
  })

  it('that cannot be started after a restart is tried again, and delays no event', async () => {
    const { log, calls, state, at } = await openUpstream()
    await log.register('ada', { arguments: '{"repo":"a"}' })
    await log.evict()
    state.startFails = true
    for (let n = 0; n < 3; n++) {
      await log.emit({ repo: 'a' })
      await log.runDue()
    }
    expect(log.received()).toEqual({ ada: [1, 2, 3] })
    expect(calls).toEqual(['start a', 'start a'])
    await at(1)
    state.startFails = false
    await at(2)
    await at(3)
    expect(calls).toEqual(Array(4).fill('start a'))
  })

  it('that cannot be started rejects the poll, and is stopped', async () => {
    const { log, calls, state, lease, at, rows } = await openUpstream()
    state.startFails = true
    await expect(lease()).rejects.toThrow('start is broken')
    await expect(log.register('ada', { arguments: '{"repo":"a"}' })).rejects.toThrow()
    expect(await log.rows('SELECT id FROM subscriptions')).toEqual([])
    await at(0)
    expect(calls).toEqual(['start a', 'start a', 'stop a'])
    expect(await rows()).toEqual([])
  })

  it('that could be started the second time goes on', async () => {
    const { calls, state, lease, at } = await openUpstream()
    state.startFails = true
    const first = lease()
    const failed = expect(first).rejects.toThrow('start is broken')
    await expect.poll(() => calls.length).toBe(1)
    const second = lease()
    await failed
    state.startFails = false
    await second.catch(() => lease())
    await at(4)
    expect(calls).not.toContain('stop a')
  })

  it('goes on while the index has a subscription with its arguments', async () => {
    const { log, calls, at } = await openUpstream()
    await log.register('ada', { arguments: '{"repo":"a"}' })
    for (let hours = 0; hours < 24; hours++) await at(60 * hours)
    expect(calls).toEqual(['start a'])
    await log.unregister('ada')
    await at(24 * 60)
    expect(calls).toEqual(['start a', 'stop a'])
  })

  it('goes on while a stream with its arguments is open', async () => {
    const { log, calls, lease, at } = await openUpstream()
    await lease()
    const listened = await log.objects.openFeed(NAME, {
      start: FROM_NOW,
      subject: undefined,
      holder: 'ada',
      arguments: '{"repo":"a"}',
      onOccurrences: () => undefined,
      onLost: () => undefined,
    })
    await at(30)
    await log.evict()
    await at(60)
    expect(calls).toEqual(['start a', 'start a'])
    if (listened.ok) listened.value.close()
    await expect
      .poll(async () => {
        await at(120)
        return calls.at(-1)
      })
      .toBe('stop a')
  })

  it('that cannot be stopped is asked five times', async () => {
    const { log, calls, state, lease, at, rows } = await openUpstream()
    await lease()
    state.stopFails = true
    for (let minutes = 8; minutes < 60; minutes++) await at(minutes)
    expect(calls).toEqual(['start a', ...Array(5).fill('stop a')])
    expect(await rows()).toEqual([])
    expect(log.reports).toHaveLength(5)
    expect(log.reports[0]).toMatchObject({ type: 'handler-error', reference: 'upstream.stop' })
  })

  it('that is needed again while its stop is repeated is started', async () => {
    const { calls, state, lease, at } = await openUpstream()
    await lease()
    state.stopFails = true
    await at(8)
    await lease()
    await at(9)
    expect(calls).toEqual(['start a', 'stop a', 'start a'])
  })

  it('of a type that has none any more is forgotten', async () => {
    const { log, lease, at, rows } = await openUpstream()
    await lease()
    const type = log.types.get(TYPE)
    if (type !== undefined) log.types.set(TYPE, { ...type, upstream: undefined })
    await at((DAY_MS + HOUR_MS) / MINUTE_MS)
    expect(await rows()).toEqual([])
  })
})
