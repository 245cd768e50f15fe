/** The throttle: guesses under keys and wider counts, at any time, across evictions, alarms and failing writes. */
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { ThrottleObject } from '../../../durable-objects/account/throttle-object.ts'
import type { PendingGuess, WiderCount } from '../../../src/ports/throttle.ts'
import type { TestStub } from '../../support/objects.ts'
import { MINUTE_MS, SECOND_MS, useFakeClock } from '../fake-clock.ts'
import {
  actsOf,
  alarmOf,
  checkModel,
  evict,
  fault,
  MODEL_TIMEOUT,
  runAlarm,
  runAllAlarms,
  tablesOf,
  withFault,
} from '../model.ts'
import { openAccounts } from './account.ts'

/** Of the limit set `lowCaps`. */
const FAILURES = 2

const KEYS = ['a', 'b', 'c', 'd']
const WIDER: readonly (readonly WiderCount[])[] = [
  [],
  [
    { key: 'network', capacity: 2 },
    { key: 'all', capacity: 3 },
  ],
]

interface Count {
  readonly failures: number
  readonly waitUntil: number
  readonly forgottenAt: number
}

class Reference {
  readonly counts = new Map<string, Count>()
  /** By key: the ends of guesses that have begun. In memory alone. */
  readonly pending = new Map<string, Map<string, number>>()
  /** Where each guess began, by its id. */
  readonly begun: { readonly key: string; readonly wider: readonly WiderCount[] }[] = []

  guess(counts: readonly WiderCount[], correct: boolean, pending?: PendingGuess): number {
    const now = Date.now()
    const ends = pending?.ends === true && this.#ends(counts, pending.id)
    const waits = counts.map(({ key }) => (this.counts.get(key)?.waitUntil ?? 0) - now)
    const wait = Math.max(...waits)
    if (wait > 0 && !ends) return Math.ceil(wait / SECOND_MS)
    if (pending !== undefined && pending.ends !== true) return this.#begin(counts, pending.id)
    if (!correct) for (const count of counts) this.#fail(count)
    return 0
  }

  failuresOf(key: string): number {
    const known = this.counts.get(key)
    return known !== undefined && Date.now() < known.forgottenAt ? known.failures : 0
  }

  #pendingOf(key: string): Map<string, number> {
    const known = this.pending.get(key) ?? new Map<string, number>()
    for (const [id, until] of known) if (until <= Date.now()) known.delete(id)
    this.pending.set(key, known)
    return known
  }

  #begin(counts: readonly WiderCount[], id: string): number {
    const hasRoom = counts.every(
      ({ key, capacity }) =>
        this.#pendingOf(key).size < Math.max(1, FAILURES * capacity - this.failuresOf(key)),
    )
    if (!hasRoom) return 15
    for (const { key } of counts) this.#pendingOf(key).set(id, Date.now() + 30 * SECOND_MS)
    return 0
  }

  #ends(counts: readonly WiderCount[], id: string): boolean {
    return counts.map(({ key }) => this.#pendingOf(key).delete(id)).every(Boolean)
  }

  #fail({ key, capacity }: WiderCount): void {
    const now = Date.now()
    const failures = this.failuresOf(key) + 1
    const first = failures === 1 ? now + 15 * MINUTE_MS : this.counts.get(key)?.forgottenAt
    const beyond = failures - FAILURES * capacity
    const wait = Math.min(15 * SECOND_MS * 2 ** beyond, 15 * MINUTE_MS)
    const waiting = { waitUntil: now + wait, forgottenAt: now + wait + 15 * MINUTE_MS }
    const free = { waitUntil: 0, forgottenAt: first ?? 0 }
    this.counts.set(key, { failures, ...(beyond < 0 ? free : waiting) })
  }
}

interface Real {
  readonly stub: TestStub<ThrottleObject>
}

const act = actsOf<Reference, Real>()
const place = fc.record({ key: fc.constantFrom(...KEYS), wider: fc.constantFrom(...WIDER) })
const countsOf = (key: string, wider: readonly WiderCount[]) => [{ key, capacity: 1 }, ...wider]

const acts = [
  act(
    8,
    'guess',
    fc.record({ place, correct: fc.boolean(), times: fc.constantFrom(1, 1, 4), nth: fault(3) }),
    async (model, { stub }, { place: { key, wider }, correct, times, nth }) => {
      for (let guess = 0; guess < times; guess++) {
        const answer = await withFault(stub, nth, (shard) => shard.guess(key, correct, wider))
        if (answer === 'failed') continue
        const retryAfterSeconds = model.guess(countsOf(key, wider), correct)
        expect(answer).toEqual({ allowed: retryAfterSeconds === 0, retryAfterSeconds })
      }
    },
  ),
  act(4, 'begin', place, async (model, { stub }, { key, wider }) => {
    const pending = { id: `${model.begun.push({ key, wider }) - 1}` }
    const retryAfterSeconds = model.guess(countsOf(key, wider), true, pending)
    const expected = { allowed: retryAfterSeconds === 0, retryAfterSeconds }
    expect(await stub.guess(key, true, wider, pending)).toEqual(expected)
  }),
  act(
    4,
    'end',
    fc.record({ place, isElsewhere: fc.nat(5), correct: fc.boolean(), back: fc.nat(2) }),
    async (model, { stub }, { place, isElsewhere, correct, back }) => {
      const id = model.begun.length - 1 - back
      const { key, wider } = (isElsewhere > 0 ? model.begun[id] : undefined) ?? place
      const pending = { id: `${id}`, ends: true }
      const retryAfterSeconds = model.guess(countsOf(key, wider), correct, pending)
      const expected = { allowed: retryAfterSeconds === 0, retryAfterSeconds }
      expect(await stub.guess(key, correct, wider, pending)).toEqual(expected)
    },
  ),
  act(1, 'evict', fc.constant(undefined), async (model, { stub }) => {
    await evict(stub)
    model.pending.clear()
  }),
  act(1, 'alarm', fc.constant(undefined), (_, { stub }) => runAlarm(stub)),
  act(
    4,
    'wait',
    fc.constantFrom(1, 14_999, 15_000, 29_999, 30_000, 5 * MINUTE_MS, 15 * MINUTE_MS),
    async (_, __, ms) => vi.setSystemTime(Date.now() + ms),
  ),
]

describe('a shard of the throttle', () => {
  useFakeClock()

  it(
    'counts guesses as the port says, and has no storage after the last count',
    MODEL_TIMEOUT,
    async () => {
      await checkModel<Reference, Real>({
        open: async () => ({
          model: new Reference(),
          real: { stub: openAccounts('lowCaps').objects.throttles.named('0') },
        }),
        acts,
        check: async (model, { stub }) => {
          const ends = [...model.counts.values()].map(({ forgottenAt }) => forgottenAt)
          const live = ends.filter((at) => at > Date.now())
          if (live.length === 0) return
          expect(await alarmOf(stub)).toBeLessThanOrEqual(Math.min(...live) + MINUTE_MS)
        },
        end: async (_, { stub }) => {
          await runAllAlarms(stub)
          expect(await tablesOf(stub)).toEqual([])
        },
        runs: 30,
        commands: 40,
      })
    },
  )
})
