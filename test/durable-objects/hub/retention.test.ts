/** Retention of changes: their alarm, their limits, and the gaps that deleted changes cause. */
import { evictDurableObject, runDurableObjectAlarm } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { HubObject } from '../../../durable-objects/hub/hub-object.ts'
import type { ListenOptions } from '../../../src/ports/change-bus.ts'
import type { Change } from '../../../src/ports/change-kinds.ts'
import { inPart } from '../../support/objects.ts'
import { freshBus, listen, openFeed, RETENTION_MS, type Shard, shard, storageOf } from './hub.ts'

/** Far ahead: the platform runs an alarm that lies in the real past at once. */
const NOON = Date.UTC(2100, 10, 2, 12)
const MINUTE_MS = 60_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOON })
})
afterEach(() => {
  vi.useRealTimers()
})

const note = (name: string | number): Change => ({
  kind: 'resource_updated',
  uri: `note://${name}`,
})

/** So many publications at the same time are sent at once: a single one waits for a timer. */
const TOGETHER = 64

/** Publishes from within the shard, in order, without an RPC and without a timer for each change. */
const publishMany = (stub: Shard, count: number, change: (index: number) => Change) =>
  inPart<HubObject, void>(stub, async (hub) => {
    for (let first = 0; first < count; first += TOGETHER) {
      const size = Math.min(TOGETHER, count - first)
      const group = Array.from({ length: size }, (_, index) => change(first + index))
      await Promise.all(
        group.map((each) => hub.publish({ ...each, server: 'notes' }, RETENTION_MS)),
      )
    }
  })

describe('a change in the log of a shard', () => {
  it('is deleted by the alarm after ten minutes by default', async () => {
    const { hub, bus } = freshBus()
    await bus.publish({ kind: 'tools_list_changed' })
    expect(await storageOf(shard(hub))).toMatchObject({ changes: 1, alarm: NOON + 10 * MINUTE_MS })
    vi.setSystemTime(NOON + 10 * MINUTE_MS)
    await evictDurableObject(shard(hub))
    expect(await runDurableObjectAlarm(shard(hub))).toBe(true)
    expect(await storageOf(shard(hub))).toMatchObject({ changes: 0, alarm: null })
  })
})

describe('a listener whose changes were deleted', () => {
  it('receives a gap, then the stored changes, then new ones', async () => {
    const { hub, bus } = freshBus()
    const since = await bus.position(undefined)
    await bus.publish(note('old'))
    vi.setSystemTime(NOON + 5 * MINUTE_MS)
    await bus.publish(note('kept'))
    vi.setSystemTime(NOON + 10 * MINUTE_MS)
    await runDurableObjectAlarm(shard(hub))

    const order: unknown[] = []
    const feed = await openFeed(bus, {
      kinds: ['resource_updated'],
      subject: undefined,
      since,
      onGap: (position) => order.push(['gap', position]),
      onChanges: (changes) =>
        order.push(...changes.map(({ change, position }) => [change, position])),
      onLost: () => order.push('lost'),
    })
    await bus.publish(note('new'))
    await expect
      .poll(() => order)
      .toEqual([
        ['gap', '1.1.0.1'],
        [note('kept'), '1.1.0.2'],
        [note('new'), '1.1.0.3'],
      ])
    expect(feed.position).toBe('1.1.0.1')
    feed.close()
  })

  it('may omit the handler of gaps', async () => {
    const { bus } = freshBus()
    const received: Change[] = []
    const options: ListenOptions = {
      kinds: ['tools_list_changed'],
      subject: undefined,
      onChanges: (changes) => received.push(...changes.map(({ change }) => change)),
      onLost: () => undefined,
    }
    const feed = await openFeed(bus, { ...options, since: '1.1.0.zz' })
    await bus.publish({ kind: 'tools_list_changed' })
    await expect.poll(() => received).toEqual([{ kind: 'tools_list_changed' }])
    feed.close()
  })
})

describe('limits of the change log', () => {
  it('delete the oldest above 10,000 changes, and a listener that missed one receives a gap', async () => {
    const { hub, bus } = freshBus()
    await publishMany(shard(hub), 10_000, note)
    expect(await storageOf(shard(hub))).toMatchObject({ changes: 10_000 })
    const all = await listen(bus, { since: '1.1.0.0' })
    await expect.poll(() => all.received.length).toBe(10_000)
    expect(all.gaps).toEqual([])
    expect(all.received[9_999]).toEqual(note(9_999))
    all.feed.close()

    await publishMany(shard(hub), 5, (index) => note(`more-${index}`))
    expect(await storageOf(shard(hub))).toMatchObject({ changes: 10_000 })
    const late = await listen(bus, { since: '1.1.0.4' })
    // 10,005 in base 36 is 7px, and five of them are deleted.
    expect(late.gaps).toEqual(['1.1.0.5'])
    await expect.poll(() => late.positions.at(-1)).toBe('1.1.0.7px')
    expect(late.received.length).toBe(10_000)
    late.feed.close()
    const intime = await listen(bus, { since: '1.1.0.5' })
    await expect.poll(() => intime.received.length).toBe(10_000)
    expect(intime.received[0]).toEqual(note(5))
    expect(intime.gaps).toEqual([])
    intime.feed.close()
  })

  it('replace a backlog above 1 MiB by a gap, only for the listeners it is for', async () => {
    const { hub, bus } = freshBus()
    const since = await bus.position('ada')
    const long = (index: number): Change => ({
      kind: 'resource_updated',
      uri: `note://${index}/`.padEnd(8192, 'x'),
      subject: '=ada',
    })
    await publishMany(shard(hub), 128, long)
    const fits = await listen(bus, { subject: 'ada', since })
    await expect.poll(() => fits.received.length).toBe(128)
    expect(fits.gaps).toEqual([])
    fits.feed.close()

    await publishMany(shard(hub), 1, long)
    const ada = await listen(bus, { subject: 'ada', since })
    expect(ada.gaps).toEqual(['1.1.0.3l'])
    const bob = await listen(bus, { subject: 'bob', since })
    expect(bob.gaps).toEqual([])
    await bus.publish({ kind: 'tools_list_changed' })
    for (const { received } of [ada, bob])
      await expect.poll(() => received).toEqual([{ kind: 'tools_list_changed' }])
  })
})
