/** Positions of the change bus, and the change log that they point into. */
import { runInDurableObject } from 'cloudflare:test'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ChangeLog } from '../../durable-objects/hub/change-log.ts'
import { formatPosition, parsePosition } from '../../durable-objects/hub/change-position.ts'
import type { HubObject } from '../../durable-objects/hub/hub-object.ts'
import type { Change, ChangeKind } from '../../src/ports/change-kinds.ts'
import { objectsOfKind } from '../support/objects.ts'
import { runs } from './settings.ts'

const version = fc.maxSafeNat()
const position = fc
  .tuple(fc.integer({ min: 1, max: 1000 }), fc.nat(), version)
  .map(([shards, shard, own]) => ({ shards, shard: shard % shards, version: own }))

describe('a position of the hub', () => {
  it('reads back as the shard and the version that it was written for', () => {
    fc.assert(
      fc.property(position, (written) => {
        const text = formatPosition(written)
        expect(text).toMatch(/^[0-9a-z.]{1,40}$/)
        expect(parsePosition(text)).toEqual(written)
      }),
      runs(1000),
    )
  })

  it('never points to a shard or a version that cannot exist, for any text', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0019az.-A '), maxLength: 14 })
    const text = fc.oneof(
      digits,
      fc.tuple(digits, digits, digits).map((parts) => parts.join('.')),
    )
    fc.assert(
      fc.property(fc.oneof(text, fc.string()), (sent) => {
        const read = parsePosition(sent)
        if (read === undefined) return
        expect(Number.isSafeInteger(read.version)).toBe(true)
        expect(read.shard).toBeLessThan(read.shards)
        expect(parsePosition(formatPosition(read))).toEqual(read)
      }),
      runs(2000),
    )
  })

  it('differs for every shard and version', () => {
    fc.assert(
      fc.property(position, position, (one, other) => {
        const isSame = JSON.stringify(one) === JSON.stringify(other)
        expect(formatPosition(one) === formatPosition(other)).toBe(isSame)
      }),
      runs(500),
    )
  })
})

const KINDS: readonly ChangeKind[] = [
  'tools_list_changed',
  'resource_updated',
  'elicitation_complete',
]
const subject = fc.constantFrom(undefined, 'ada', 'bob')
const change: fc.Arbitrary<Change> = fc.oneof(
  subject.map((own) => ({ kind: 'tools_list_changed' as const, subject: own })),
  fc.record({ kind: fc.constant('resource_updated'), uri: fc.string({ maxLength: 4 }), subject }),
  fc.record({
    kind: fc.constant('elicitation_complete'),
    elicitationId: fc.string({ maxLength: 4 }),
    subject,
  }),
)

type Step =
  | { readonly type: 'append'; readonly change: Change; readonly retainUntil: number }
  | { readonly type: 'prune'; readonly now: number }
  | { readonly type: 'evict' }
  | {
      readonly type: 'read'
      readonly since: number | undefined
      readonly kinds: readonly ChangeKind[]
      readonly subject: string | undefined
    }

const time = fc.nat({ max: 100 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('append'), change, retainUntil: time }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('prune'), now: time }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('evict') }) },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('read'),
      since: fc.option(fc.nat({ max: 12 }), { nil: undefined }),
      kinds: fc.subarray([...KINDS]),
      subject,
    }),
  },
)

/** A change log of numbered changes in memory, with the same rules. */
class Model {
  readonly stored: { readonly version: number; readonly change: Change; readonly until: number }[] =
    []
  version = 0

  append(own: Change, until: number): number {
    this.stored.push({ version: ++this.version, change: own, until })
    return this.version
  }

  /** Deletes every change up to the last expired one, so that the log has no holes. */
  prune(now: number): void {
    const last = this.stored.findLastIndex(({ until }) => until <= now)
    this.stored.splice(0, last + 1)
  }

  read({ since, kinds, subject: own }: Extract<Step, { readonly type: 'read' }>) {
    if (since === undefined || since > this.version) return { began: this.version, changes: [] }
    const deleted = (this.stored[0]?.version ?? this.version + 1) - 1
    const began = Math.max(since, deleted)
    const changes = this.stored.flatMap(({ version: number, change: { subject: to, ...rest } }) => {
      const isWanted =
        number > began && kinds.includes(rest.kind) && (to === undefined || to === own)
      return isWanted
        ? [{ version: number, change: rest, isOwn: to !== undefined, server: 'notes' }]
        : []
    })
    return { began, changes }
  }
}

describe('the change log of a hub', () => {
  it('answers every read as a list in memory does, after any publications, expiries and evictions', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30, size: 'max' }), async (steps) => {
        const stub = objectsOfKind<HubObject>('hub').named(crypto.randomUUID())
        await runInDurableObject(stub, (_, { storage }) => {
          const model = new Model()
          let log = new ChangeLog(storage)
          for (const next of steps) {
            if (next.type === 'append') {
              expect(log.append(next.change, next.retainUntil, 'notes')).toBe(
                model.append(next.change, next.retainUntil),
              )
            } else if (next.type === 'prune') {
              log.prune(next.now)
              model.prune(next.now)
            } else if (next.type === 'evict') log = new ChangeLog(storage)
            else {
              expect(log.after(next.since, next.kinds, next.subject)).toEqual(model.read(next))
              expect(log.version).toBe(model.version)
            }
          }
        })
      }),
      runs(40),
    )
  })
})
