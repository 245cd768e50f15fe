/** A hub for one test, and listeners that record the changes they receive. */
import { runInDurableObject } from 'cloudflare:test'
import { HubChangeBus } from '../../../durable-objects/hub/change-bus.ts'
import type { ChangesOptions } from '../../../durable-objects/hub/changes-options.ts'
import type { HubObject } from '../../../durable-objects/hub/hub-object.ts'
import type {
  ChangeBus,
  ChangeFeed,
  ChangePosition,
  ListenOptions,
} from '../../../src/ports/change-bus.ts'
import type { Change, ChangeKind } from '../../../src/ports/change-kinds.ts'
import type { SocketsOfKind } from '../../../src/ports/objects.ts'
import { objectsOfKind, type TestObjects, type TestStub } from '../../support/objects.ts'

export const ALL: readonly ChangeKind[] = [
  'tools_list_changed',
  'prompts_list_changed',
  'resources_list_changed',
  'resource_updated',
  'elicitation_complete',
]

/** Retention of changes that a test publishes to a shard directly. */
export const RETENTION_MS = 600_000

/** The shards as the change bus calls them. */
export type Hub = SocketsOfKind<HubObject>

export type Shard = TestStub<HubObject>

/** Objects that no other test uses. */
export function freshHub(): TestObjects<HubObject> {
  const prefix = crypto.randomUUID()
  const hubs = objectsOfKind<HubObject>('hub')
  return { named: (key) => hubs.named(`${prefix}-${key}`) }
}

export function shard(hub: TestObjects<HubObject>, index = 0): Shard {
  return hub.named(String(index))
}

export function freshBus(options?: ChangesOptions) {
  const hub = freshHub()
  return { hub, bus: new HubChangeBus(hub, 'notes', options) }
}

export interface Listener {
  readonly received: readonly Change[]
  /** Positions of the received changes, in the same order. */
  readonly positions: readonly ChangePosition[]
  readonly gaps: readonly ChangePosition[]
  /** How many times `onLost` was called. */
  readonly lostCount: () => number
  readonly feed: ChangeFeed
}

interface ListenerOptions {
  readonly kinds?: readonly ChangeKind[]
  readonly subject?: string
  readonly since?: ChangePosition
}

/** The hub has reached its limit of listeners. */
export class ListenersFull extends Error {}

/** @throws {ListenersFull} */
export async function openFeed(bus: ChangeBus, options: ListenOptions): Promise<ChangeFeed> {
  const listened = await bus.listen(options)
  if (listened.ok) return listened.value
  throw new ListenersFull(listened.error)
}

export async function listen(
  bus: ChangeBus,
  { kinds = ALL, subject, since }: ListenerOptions = {},
): Promise<Listener> {
  const received: Change[] = []
  const positions: ChangePosition[] = []
  const gaps: ChangePosition[] = []
  let lost = 0
  const feed = await openFeed(bus, {
    kinds,
    subject,
    since,
    onChanges: (changes) => {
      received.push(...changes.map(({ change }) => change))
      positions.push(...changes.map(({ position }) => position))
    },
    onGap: (position) => gaps.push(position),
    onLost: () => lost++,
  })
  return { received, positions, gaps, lostCount: () => lost, feed }
}

/** The numbers of tables and changes in a shard's storage, and its alarm. */
export const storageOf = (stub: Shard) =>
  runInDurableObject(stub, async (_, { storage }) => {
    const tables = storage.sql
      .exec("SELECT name FROM sqlite_master WHERE name = 'changes'")
      .toArray()
    const count = (table: string) =>
      storage.sql.exec<{ rows: number }>(`SELECT count(*) AS rows FROM ${table}`).one().rows
    return {
      tables: count('sqlite_master'),
      changes: tables.length === 0 ? 0 : count('changes'),
      alarm: await storage.getAlarm(),
    }
  })
