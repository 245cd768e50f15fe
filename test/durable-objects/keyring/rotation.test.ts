/** The schedule of keys: what is due when, and that every unexpired seal can be opened. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  acceptedUntil,
  nextRotationAt,
  planRotation,
} from '../../../durable-objects/keyring/rotation.ts'
import { openingKey, SealKey, sealingKey } from '../../../durable-objects/keyring/seal-key.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, NOON } from './keyring.ts'

const key = (id: string, used_from: number) => ({ id, used_from })

describe('the rotation of keys', () => {
  it('creates the first key for use at once', () => {
    expect(planRotation([], NOON)).toEqual({ newKeyUsedFrom: NOON, expired: [] })
    expect(nextRotationAt([])).toBeUndefined()
  })

  it('creates a successor one day before its use', () => {
    const keys = [key('a', NOON)]
    expect(nextRotationAt(keys)).toBe(NOON + 29 * DAY_MS)
    expect(planRotation(keys, NOON + 29 * DAY_MS - 1).newKeyUsedFrom).toBeUndefined()
    expect(planRotation(keys, NOON + 29 * DAY_MS).newKeyUsedFrom).toBe(NOON + 30 * DAY_MS)
  })

  it('publishes a late successor one day before its first use', () => {
    const late = NOON + 400 * DAY_MS
    expect(planRotation([key('a', NOON)], late)).toEqual({
      newKeyUsedFrom: late + DAY_MS,
      expired: [],
    })
  })

  it('creates one successor at a time', () => {
    const keys = [key('a', NOON), key('b', NOON + 30 * DAY_MS)]
    expect(planRotation(keys, NOON + 29.5 * DAY_MS).newKeyUsedFrom).toBeUndefined()
    expect(nextRotationAt(keys)).toBe(NOON + 59 * DAY_MS)
  })

  it('accepts a key for 91 days after its successor came into use', () => {
    const keys = [key('a', NOON), key('b', NOON + 30 * DAY_MS)]
    expect(acceptedUntil(keys, 0)).toBe(NOON + 121 * DAY_MS)
    expect(acceptedUntil(keys, 1)).toBeUndefined()
    expect(planRotation(keys, NOON + 121 * DAY_MS - 1).expired).toEqual([])
    expect(planRotation(keys, NOON + 121 * DAY_MS).expired).toEqual(['a'])
  })

  it('never deletes the newest key, however old it is', () => {
    expect(planRotation([key('a', NOON)], NOON + 10_000 * DAY_MS).expired).toEqual([])
  })

  it('schedules the deletion of the oldest key when that is due first', () => {
    const keys = [key('a', NOON), key('b', NOON + 100 * DAY_MS), key('c', NOON + 190 * DAY_MS)]
    expect(nextRotationAt(keys)).toBe(NOON + 191 * DAY_MS)
  })
})

/** A model of a deployment: the rows of the keyring, and isolates that cache lists of them. */
class Deployment {
  now = NOON
  readonly #skews: readonly number[]
  readonly #lists: ({ keys: SealKey[]; at: number } | undefined)[] = []
  readonly #sealed: { keyId: string; at: number }[] = []
  #rows: { id: string; used_from: number }[] = []
  #created = 0
  opened = 0

  constructor(skews: readonly number[]) {
    this.#skews = skews
  }

  rotate(): void {
    const { newKeyUsedFrom, expired } = planRotation(this.#rows, this.now)
    this.#rows = this.#rows.filter(({ id }) => !expired.includes(id))
    if (newKeyUsedFrom !== undefined) {
      this.#created += 1
      this.#rows.push(key(`key-${this.#created}`, newKeyUsedFrom))
    }
    expect(this.#rows.length).toBeLessThanOrEqual(7)
  }

  /** The cached list of an isolate, loaded again after an hour while the object answers. */
  #keysOf(isolate: number, objectAnswers: boolean): readonly SealKey[] | undefined {
    const cached = this.#lists[isolate]
    const age = cached === undefined ? Infinity : this.now - cached.at
    if (age < HOUR_MS) return cached?.keys
    if (!objectAnswers) return age < 13 * HOUR_MS ? cached?.keys : undefined
    this.rotate()
    const keys = this.#rows.map(
      ({ id, used_from }, index) =>
        new SealKey({
          id,
          secret: new Uint8Array(32),
          usedFrom: used_from,
          acceptedUntil: acceptedUntil(this.#rows, index),
        }),
    )
    this.#lists[isolate] = { keys, at: this.now }
    return keys
  }

  seal(isolate: number, objectAnswers: boolean): void {
    const keys = this.#keysOf(isolate, objectAnswers)
    if (keys === undefined) return
    const clock = this.now + (this.#skews[isolate] ?? 0)
    this.#sealed.push({ keyId: sealingKey(keys, clock).id, at: this.now })
  }

  openUnexpired(isolate: number, objectAnswers: boolean): void {
    const keys = this.#keysOf(isolate, objectAnswers)
    if (keys === undefined) return
    const clock = this.now + (this.#skews[isolate] ?? 0)
    for (const { keyId, at } of this.#sealed) {
      if (this.now - at > 90 * DAY_MS) continue
      expect(openingKey(keys, keyId, clock)?.id).toBe(keyId)
      this.opened += 1
    }
  }
}

describe('the rotation over years, with outdated isolates and missed alarms', () => {
  const isolate = fc.nat({ max: 3 })
  const step = fc.record({
    wait: fc.oneof(
      fc.nat({ max: 2 * HOUR_MS }),
      fc.nat({ max: 2 * DAY_MS }),
      fc.nat({ max: 40 * DAY_MS }),
    ),
    alarm: fc.boolean(),
    sealer: isolate,
    opener: isolate,
    objectAnswers: fc.boolean(),
  })
  const skew = fc.integer({ min: -30 * MINUTE_MS, max: 30 * MINUTE_MS })

  it('lets every isolate open every seal for 90 days', () => {
    let opened = 0
    fc.assert(
      fc.property(
        fc.array(skew, { minLength: 4, maxLength: 4 }),
        fc.array(step, { minLength: 20, maxLength: 120 }),
        (skews, steps) => {
          const deployment = new Deployment(skews)
          for (const { wait, alarm, sealer, opener, objectAnswers } of steps) {
            deployment.now += wait
            if (alarm) deployment.rotate()
            deployment.seal(sealer, objectAnswers)
            deployment.openUnexpired(opener, objectAnswers)
          }
          opened += deployment.opened
        },
      ),
      { numRuns: 150 },
    )
    expect(opened).toBeGreaterThan(10_000)
  })
})
