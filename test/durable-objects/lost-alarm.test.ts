/** Alarms that the platform has lost: rows of every object are deleted all the same. */
// features: changes, state, timeline
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it, vi } from 'vitest'
import type { HubObject } from '../../durable-objects/hub/hub-object.ts'
import type { RedeemedObject } from '../../durable-objects/keyring/redeemed-object.ts'
import type { StateObject } from '../../durable-objects/state/state-object.ts'
import type { TimelineObject } from '../../packages/inspector/src/objects/log/timeline-object.ts'
import { timeline } from '../../packages/inspector/src/timeline/index.ts'
import { McpServer } from '../../src/index.ts'
import { createFullEdgeway } from '../support/full-app.ts'
import { objectsOfKind } from '../support/objects.ts'
import { openObjectsOf } from '../support/opened-objects.ts'
import { MINUTE_MS, NOON, useFakeClock } from './fake-clock.ts'

useFakeClock()

openObjectsOf(
  createFullEdgeway(new McpServer({ name: 'lost-alarm', version: '1.0.0' }), {
    timeline: timeline(),
  }),
)

const LIFETIME_MS = 10 * MINUTE_MS

/** Writes a row that expires after {@link LIFETIME_MS}. */
const WRITES = {
  'a change': async () => {
    const hub = objectsOfKind<HubObject>('hub').named(crypto.randomUUID())
    return {
      object: hub,
      write: () => hub.publish({ kind: 'tools_list_changed', server: 'notes' }, LIFETIME_MS),
    }
  },
  'a redeemed name': async () => {
    const shard = objectsOfKind<RedeemedObject>('redeemed').named(crypto.randomUUID())
    const write = (name: string) => shard.redeem(name, Date.now() + LIFETIME_MS)
    return { object: shard, write }
  },
  'an entry of state': async () => {
    const state = objectsOfKind<StateObject>('state').named(crypto.randomUUID())
    const write = (name: string) =>
      state.write(name, {
        ...{ value: '1', digest: 'one', operation: name, limit: 9 },
        ...{ mustExist: false, expected: undefined, lifetimeMs: LIFETIME_MS },
      })
    return { object: state, write }
  },
  'a step of the timeline': async () => {
    const log = objectsOfKind<TimelineObject>('timeline', 'lost-alarm').named(crypto.randomUUID())
    const write = (origin: string) =>
      log.append([{ at: Date.now(), origin, isCall: false, step: '{}' }])
    return { object: log, write }
  },
}

describe('an alarm that the platform has lost is set again by the next write', () => {
  it.each(Object.entries(WRITES))('of %s', async (_, open) => {
    const { object, write } = await open()
    const alarm = () => runInDurableObject(object, (__, { storage }) => storage.getAlarm())
    await write('first')
    const lost = Number(await alarm())
    expect(lost).toBeGreaterThanOrEqual(NOON + LIFETIME_MS)
    await runInDurableObject(object, (__, { storage }) => storage.deleteAlarm())
    vi.setSystemTime(lost + MINUTE_MS)
    await write('second')
    expect(await alarm()).toBeLessThanOrEqual(lost + MINUTE_MS)
    expect(await runDurableObjectAlarm(object)).toBe(true)
    expect(await alarm()).toBeGreaterThan(lost + MINUTE_MS)
  })
})
