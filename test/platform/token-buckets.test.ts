import { describe, expect, it } from 'vitest'
import { TokenBuckets } from '../../src/platform/token-buckets.ts'

const NOW = Date.UTC(2026, 10, 22)
const MINUTE = 60_000

/** How many tokens of `count` a key gets at one time. */
function takeAll(buckets: TokenBuckets, key: string, count: number, now: number): number {
  return Array.from({ length: count }, () => buckets.take(key, now)).filter((wait) => wait === 0)
    .length
}

describe('TokenBuckets', () => {
  it.each([1, 2, 3, 7, 11, 60, 97, 120, 1000, 1200, 7001])(
    'gives %i tokens of a full bucket at once, and no more',
    (limit) => {
      const buckets = new TokenBuckets(limit, MINUTE, 10)
      expect(takeAll(buckets, 'a', limit + 50, NOW)).toBe(limit)
    },
  )

  it('fills an empty bucket evenly within the period', () => {
    const buckets = new TokenBuckets(6, MINUTE, 10)
    takeAll(buckets, 'a', 6, NOW)
    expect(takeAll(buckets, 'a', 9, NOW + 4_999)).toBe(0)
    expect(takeAll(buckets, 'a', 9, NOW + 10_000)).toBe(1)
    expect(takeAll(buckets, 'a', 9, NOW + 30_000)).toBe(2)
    expect(takeAll(buckets, 'a', 9, NOW + 10 * MINUTE)).toBe(6)
  })

  it('gives at most twice the limit in any period', () => {
    const buckets = new TokenBuckets(100, MINUTE, 10)
    let given = 0
    for (let ms = 0; ms < MINUTE; ms += 10) given += buckets.take('a', NOW + ms) === 0 ? 1 : 0
    expect(given).toBeGreaterThan(100)
    expect(given).toBeLessThanOrEqual(200)
  })

  it('does not delay the next token because of refused attempts', () => {
    const buckets = new TokenBuckets(6, MINUTE, 10)
    takeAll(buckets, 'a', 1_000, NOW)
    expect(buckets.take('a', NOW + 10_000)).toBe(0)
  })

  it.each([1, 3, 7, 60, 1000, 7001])(
    'has a token of %i after the wait that a refusal names',
    (limit) => {
      const buckets = new TokenBuckets(limit, MINUTE, 10)
      takeAll(buckets, 'a', limit, NOW)
      const wait = buckets.take('a', NOW + 3)
      expect(wait).toBeGreaterThan(0)
      expect(buckets.take('a', NOW + 3 + Math.ceil(wait))).toBe(0)
    },
  )

  it('has a bucket for each key', () => {
    const buckets = new TokenBuckets(2, MINUTE, 10)
    expect(takeAll(buckets, 'a', 5, NOW)).toBe(2)
    expect(takeAll(buckets, 'b', 5, NOW)).toBe(2)
  })

  it('keeps the bucket of a key that is used, however many other keys come', () => {
    const buckets = new TokenBuckets(2, MINUTE, 10)
    takeAll(buckets, 'flood', 2, NOW)
    for (let other = 0; other < 1_000; other += 1) {
      buckets.take(`other ${other}`, NOW)
      expect(buckets.take('flood', NOW)).toBe(MINUTE / 2)
    }
  })

  it('drops the bucket of a key after as many other keys as its capacity', () => {
    const buckets = new TokenBuckets(1, MINUTE, 10)
    buckets.take('a', NOW)
    for (let other = 0; other < 9; other += 1) buckets.take(`other ${other}`, NOW)
    expect(buckets.take('a', NOW)).toBe(MINUTE)
    for (let other = 0; other < 10; other += 1) buckets.take(`more ${other}`, NOW)
    expect(buckets.take('a', NOW)).toBe(0)
  })

  it('is full after the clock was set back', () => {
    const buckets = new TokenBuckets(60, MINUTE, 10)
    takeAll(buckets, 'a', 60, NOW)
    expect(takeAll(buckets, 'a', 99, NOW - 24 * 60 * MINUTE)).toBe(60)
  })
})
