/** A shard of the hub: publications and listeners in any order, across evictions, lost sockets, alarms and failing writes. */
import { evictDurableObject } from 'cloudflare:test'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { HubChangeBus } from '../../../durable-objects/hub/change-bus.ts'
import type { HubObject } from '../../../durable-objects/hub/hub-object.ts'
import type { ChangeBus } from '../../../src/ports/change-bus.ts'
import type { Change, ChangeKind } from '../../../src/ports/change-kinds.ts'
import { inPart } from '../../support/objects.ts'
import { MINUTE_MS, useFakeClock } from '../fake-clock.ts'
import {
  actsOf,
  alarmOf,
  checkModel,
  evict,
  fault,
  MODEL_TIMEOUT,
  runAlarm,
  withFault,
} from '../model.ts'
import { ALL, freshHub, type Listener, ListenersFull, listen, type Shard, shard } from './hub.ts'

const RETENTION_MS = 10 * MINUTE_MS
const LIMITS = { listenersPerSubject: 2, listenersPerShard: 4, changeRetentionMs: RETENTION_MS }
const SUBJECTS = [undefined, 'ada', 'bob'] as const
const SERVERS = ['notes', 'other'] as const
const KIND_SETS: readonly (readonly ChangeKind[])[] = [
  ALL,
  ['resource_updated'],
  ['tools_list_changed'],
]

type Server = (typeof SERVERS)[number]

interface Logged {
  readonly version: number
  readonly change: Change
  readonly subject: string | undefined
  readonly server: Server
  readonly retainUntil: number
}

interface Expected {
  readonly subject: string | undefined
  readonly kinds: readonly ChangeKind[]
  readonly server: Server
  readonly received: Change[]
  readonly gaps: readonly string[]
  readonly listener: Listener
}

class Reference {
  readonly log: Logged[] = []
  /** Versions up to this one are deleted. */
  deleted = 0
  open: Expected[] = []
  lost: Expected[] = []

  isFor(entry: Logged, { subject, kinds, server }: Pick<Expected, 'subject' | 'kinds' | 'server'>) {
    const isOwn = entry.subject === undefined || entry.subject === subject
    return isOwn && kinds.includes(entry.change.kind) && entry.server === server
  }

  publish(change: Change, subject: string | undefined, server: Server): void {
    const version = this.log.length + 1
    const entry = { version, change, subject, server, retainUntil: Date.now() + RETENTION_MS }
    this.log.push(entry)
    for (const each of this.open) if (this.isFor(entry, each)) each.received.push(change)
  }

  /** A version that expires takes all older ones with it. */
  prune(): void {
    const expired = this.log.findLast(({ retainUntil }) => retainUntil <= Date.now())
    this.deleted = Math.max(this.deleted, expired?.version ?? 0)
  }

  get isFull(): boolean {
    return this.open.length >= LIMITS.listenersPerShard
  }
}

interface Real {
  readonly stub: Shard
  readonly buses: Readonly<Record<Server, ChangeBus>>
}

const act = actsOf<Reference, Real>()
const positionOf = (version: number) => `1.1.0.${version.toString(36)}`
const whose = {
  subject: fc.constantFrom(...SUBJECTS),
  server: fc.constantFrom('notes' as const, ...SERVERS),
}

const changeOf = (kind: 'list' | 'updated', version: number): Change =>
  kind === 'list'
    ? { kind: 'tools_list_changed' }
    : { kind: 'resource_updated', uri: `note://${version}` }

const acts = [
  act(
    8,
    'publish',
    fc.record({
      ...whose,
      kind: fc.constantFrom('list' as const, 'updated' as const),
      times: fc.constantFrom(1, 1, 3, 70),
      nth: fault(),
    }),
    async (model, { stub }, { subject, server, kind, times, nth }) => {
      const first = model.log.length + 1
      const changes = Array.from({ length: times }, (_, at) => changeOf(kind, first + at))
      const key = subject === undefined ? {} : { subject: `=${subject}` }
      const published = changes.map((change) => ({ ...change, ...key, server }))
      if (times > 1) {
        await inPart<HubObject, number[]>(stub, (hub) =>
          Promise.all(published.map((each) => hub.publish(each, RETENTION_MS))),
        )
      } else {
        const [only] = published
        if (only === undefined) return
        const reached = model.open.filter((each) =>
          model.isFor(
            { ...only, change: only, version: 0, subject, retainUntil: 0 },
            { ...each, server },
          ),
        )
        const sent = await withFault(stub, nth, async (hub) => hub.publish(only, RETENTION_MS))
        if (sent === 'failed') return
        expect(sent).toBe(reached.length)
      }
      for (const change of changes) model.publish(change, subject, server)
    },
  ),
  act(
    6,
    'listen',
    fc.record({
      ...whose,
      kinds: fc.constantFrom(...KIND_SETS),
      back: fc.constantFrom(-1, 0, 1, 3, 100),
    }),
    async (model, { buses }, { subject, server, kinds, back }) => {
      const newest = model.log.length
      const since = back < 0 ? undefined : Math.max(0, newest - back)
      const own = model.open.filter((each) => each.subject === subject)
      const options = {
        kinds,
        ...(subject !== undefined && { subject }),
        ...(since !== undefined && { since: positionOf(since) }),
      }
      const opening = listen(buses[server], options)
      if (model.isFull || own.length >= LIMITS.listenersPerSubject) {
        await expect(opening).rejects.toBeInstanceOf(ListenersFull)
        return
      }
      const listener = await opening
      const began = since === undefined ? newest : Math.max(since, model.deleted)
      const who = { subject, kinds, server }
      const missed = model.log.filter((each) => each.version > began && model.isFor(each, who))
      const gaps = since === undefined || since === began ? [] : [positionOf(began)]
      expect(listener.feed.position).toBe(positionOf(began))
      model.open.push({ ...who, received: missed.map(({ change }) => change), gaps, listener })
    },
  ),
  act(2, 'close', fc.nat(3), async (model, { buses }, at) => {
    const [closed] = model.open.splice(at, 1)
    closed?.listener.feed.close()
    await expect.poll(() => buses.notes.countListeners(undefined)).toBe(model.open.length)
  }),
  act(2, 'evict', fc.constant(undefined), async (_, { stub }) => evict(stub)),
  act(1, 'lose sockets', fc.constant(undefined), async (model, { stub }) => {
    if (model.open.length === 0) return
    await evictDurableObject(stub, { webSockets: 'close' })
    model.lost.push(...model.open)
    model.open = []
  }),
  act(2, 'alarm', fc.constant(undefined), async (model, { stub }) => {
    if (await runAlarm(stub)) model.prune()
  }),
  act(
    3,
    'wait',
    fc.constantFrom(MINUTE_MS, 9 * MINUTE_MS, RETENTION_MS - 1, RETENTION_MS, -MINUTE_MS),
    async (_, __, ms) => vi.setSystemTime(Date.now() + ms),
  ),
]

async function check(model: Reference, { stub, buses }: Real): Promise<void> {
  expect(await buses.notes.position(undefined)).toBe(positionOf(model.log.length))
  for (const { received, gaps, listener } of [...model.open, ...model.lost]) {
    await expect.poll(() => listener.received, { interval: 1 }).toEqual(received)
    expect(listener.gaps).toEqual(gaps)
    expect(new Set(listener.positions).size).toBe(received.length)
  }
  for (const { listener } of model.open) expect(listener.lostCount()).toBe(0)
  for (const { listener } of model.lost) await expect.poll(listener.lostCount).toBe(1)
  if (model.log.length > model.deleted) {
    expect(await alarmOf(stub)).toBeLessThanOrEqual(
      Math.max(Date.now(), model.log.at(-1)?.retainUntil ?? 0),
    )
  }
}

describe('a shard of the hub', () => {
  useFakeClock()

  it(
    'sends each listener what it may receive, once and in order, and a gap for what was deleted',
    MODEL_TIMEOUT,
    async () => {
      await checkModel<Reference, Real>({
        open: async () => {
          const hub = freshHub()
          const [notes, other] = SERVERS.map((server) => new HubChangeBus(hub, server, LIMITS))
          if (notes === undefined || other === undefined) throw new Error('There are two servers')
          return { model: new Reference(), real: { stub: shard(hub), buses: { notes, other } } }
        },
        acts,
        check,
        end: async (model) => {
          for (const { listener } of model.open) listener.feed.close()
        },
        runs: 25,
        commands: 30,
      })
    },
  )
})
