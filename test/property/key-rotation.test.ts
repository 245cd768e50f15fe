/** The schedule of keys: any history of alarms, for keys that seal and keys that sign. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  ACCEPT_MS,
  acceptedUntil,
  CACHE_MS,
  keyInUse,
  MAX_SEAL_LIFE_MS,
  MAX_SIGNED_LIFE_MS,
  MAX_STALE_MS,
  nextRotationAt,
  planRotation,
  SIGNING_ACCEPT_MS,
} from '../../durable-objects/keyring/rotation.ts'
import { runs } from './settings.ts'

const DAY_MS = 86_400_000
const START = 1_700_000_000_000

interface Key {
  readonly id: string
  readonly used_from: number
  readonly createdAt: number
}

/** How long a key is accepted, and how long what was made with it lives. */
const USES = [
  { name: 'seal', acceptMs: ACCEPT_MS, lifeMs: MAX_SEAL_LIFE_MS },
  { name: 'sign', acceptMs: SIGNING_ACCEPT_MS, lifeMs: MAX_SIGNED_LIFE_MS },
] as const

const waits = fc.array(
  fc.oneof(
    fc.nat({ max: 3_600_000 }),
    fc.nat({ max: 3 * DAY_MS }),
    fc.nat({ max: 60 * DAY_MS }),
    fc.nat({ max: 400 * DAY_MS }),
  ),
  { minLength: 1, maxLength: 40, size: 'max' },
)

/** The keys after each of some rotations, and every key that was ever created. */
function rotate(times: readonly number[], acceptMs: number) {
  let keys: readonly Key[] = []
  const ever: Key[] = []
  let now = START
  const history = times.map((wait) => {
    now += wait
    const before = keys
    const { newKeyUsedFrom, expired } = planRotation(keys, now, acceptMs)
    keys = keys.filter(({ id }) => !expired.includes(id))
    if (newKeyUsedFrom !== undefined) {
      const key = { id: `key-${ever.length}`, used_from: newKeyUsedFrom, createdAt: now }
      ever.push(key)
      keys = [...keys, key]
    }
    return { now, before, keys }
  })
  return { history, ever }
}

const used = (keys: readonly Key[], now: number) =>
  keyInUse(
    keys.map((key) => ({ ...key, usedFrom: key.used_from })),
    now,
  )

describe.each(USES)('the rotation of keys that $name', ({ acceptMs, lifeMs }) => {
  it('does nothing a second time at the same moment', () => {
    fc.assert(
      fc.property(waits, (times) => {
        for (const { now, keys } of rotate(times, acceptMs).history) {
          expect(planRotation(keys, now, acceptMs)).toEqual({
            newKeyUsedFrom: undefined,
            expired: [],
          })
        }
      }),
      runs(200),
    )
  })

  it('is due exactly at the time that was announced for it, and not before', () => {
    fc.assert(
      fc.property(waits, (times) => {
        for (const { now, keys } of rotate(times, acceptMs).history) {
          const due = nextRotationAt(keys, acceptMs) ?? 0
          expect(due).toBeGreaterThan(now)
          const early = planRotation(keys, due - 1, acceptMs)
          expect(early).toEqual({ newKeyUsedFrom: undefined, expired: [] })
          const onTime = planRotation(keys, due, acceptMs)
          expect(onTime.newKeyUsedFrom !== undefined || onTime.expired.length > 0).toBe(true)
        }
      }),
      runs(200),
    )
  })

  it('publishes every key but the first for longer than any list of keys is cached, before its use', () => {
    fc.assert(
      fc.property(waits, (times) => {
        for (const { used_from, createdAt } of rotate(times, acceptMs).ever.slice(1)) {
          expect(used_from - createdAt).toBeGreaterThan(CACHE_MS + MAX_STALE_MS)
        }
      }),
      runs(200),
    )
  })

  it('keeps a key until everything that was made with it has expired', () => {
    fc.assert(
      fc.property(waits, (times) => {
        const lastUse = new Map<string, number>()
        for (const { now, before, keys } of rotate(times, acceptMs).history) {
          // Any moment since the rotation before may have used the key that was in use then.
          for (const [index, { id, used_from }] of before.entries()) {
            const until = before[index + 1]?.used_from ?? Infinity
            if (used_from <= now) lastUse.set(id, Math.min(now, until))
          }
          for (const [id, at] of lastUse) {
            if (now - at <= lifeMs) expect(keys.map((key) => key.id)).toContain(id)
          }
          expect(used(keys, now)).toBeDefined()
        }
      }),
      runs(200),
    )
  })

  it('uses the keys in the order of their creation, and accepts each until a fixed time after the next', () => {
    fc.assert(
      fc.property(waits, (times) => {
        const { history, ever } = rotate(times, acceptMs)
        const order = ever.map(({ used_from }) => used_from)
        expect(order).toEqual([...order].sort((a, b) => a - b))
        for (const { keys } of history) {
          for (const index of keys.keys()) {
            const next = keys[index + 1]
            const until = next === undefined ? undefined : next.used_from + acceptMs
            expect(acceptedUntil(keys, index, acceptMs)).toBe(until)
          }
        }
      }),
      runs(200),
    )
  })
})
