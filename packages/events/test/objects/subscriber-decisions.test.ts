/** The pure decisions of the object of a principal. */
import { describe, expect, it } from 'vitest'
import { eventErrorObject } from '../../../../src/protocol/event-errors.ts'
import type { EventErrorName } from '../../../../src/protocol/events.ts'
import { HOUR_MS, MINUTE_MS, NOON } from '../../../../test/durable-objects/fake-clock.ts'
import { formatCursor, parseCursor } from '../../src/objects/cursor.ts'
import { resolveEventLimits } from '../../src/objects/event-settings.ts'
import {
  faultOfStatus,
  outcomeOf,
  retryDelay,
} from '../../src/objects/subscriber/decide-attempt.ts'
import {
  countAttempt,
  isSuspended,
  type Outcomes,
} from '../../src/objects/subscriber/decide-suspension.ts'
import { grantedTtl } from '../../src/objects/subscriber/decide-ttl.ts'
import { watermarkOf } from '../../src/objects/subscriber/decide-watermark.ts'

describe('the lifetime that a subscription is granted', () => {
  const limits = resolveEventLimits()

  it.each([
    [undefined, 6 * HOUR_MS],
    [Number.NaN, 6 * HOUR_MS],
    [null, 24 * HOUR_MS],
    [1000, MINUTE_MS],
    [0, MINUTE_MS],
    [-1, MINUTE_MS],
    [MINUTE_MS, MINUTE_MS],
    [HOUR_MS, HOUR_MS],
    [HOUR_MS + 0.7, HOUR_MS],
    [30 * 24 * HOUR_MS, 24 * HOUR_MS],
    [Number.POSITIVE_INFINITY, 24 * HOUR_MS],
  ])('is for %s, without unlimited ones, %s', (wanted, granted) => {
    expect(grantedTtl(wanted, { limits, allowsNoExpiry: false })).toBe(granted)
  })

  it('is unlimited only where it is asked for and allowed', () => {
    expect(grantedTtl(null, { limits, allowsNoExpiry: true })).toBeNull()
    expect(grantedTtl(undefined, { limits, allowsNoExpiry: true })).toBe(6 * HOUR_MS)
    const long = Number.POSITIVE_INFINITY
    expect(grantedTtl(long, { limits, allowsNoExpiry: true })).toBe(24 * HOUR_MS)
  })
})

describe('the outcome of an attempt', () => {
  it.each([
    [200, undefined, 'delivered'],
    [204, undefined, 'delivered'],
    [299, undefined, 'delivered'],
    [301, 'http_4xx', 'failed'],
    [302, 'http_4xx', 'failed'],
    [308, 'http_4xx', 'failed'],
    [400, 'http_4xx', 'failed'],
    [401, 'http_4xx', 'failed'],
    [404, 'http_4xx', 'failed'],
    [408, 'http_4xx', 'failed'],
    [410, 'http_4xx', 'dropped'],
    [413, 'http_4xx', 'dropped'],
    [425, 'http_4xx', 'failed'],
    [429, 'http_4xx', 'failed'],
    [500, 'http_5xx', 'failed'],
    [503, 'http_5xx', 'failed'],
    [521, 'connection_refused', 'failed'],
    [522, 'timeout', 'failed'],
    [525, 'tls_error', 'failed'],
    [526, 'tls_error', 'failed'],
  ] as const)(
    'for the status %i is the fault %s, and the event is %s',
    (status, fault, outcome) => {
      expect(faultOfStatus(status)).toBe(fault)
      expect(outcomeOf({ status, fault })).toBe(outcome)
    },
  )
})

describe('the pause before the next attempt', () => {
  const delays = [30_000, 120_000, 600_000]

  it('is that of the failed attempts, varied by 20 %', () => {
    expect(delays.map((_, index) => retryDelay(index + 1, delays, 0.5))).toEqual(delays)
    expect(retryDelay(1, delays, 0)).toBe(24_000)
    expect(retryDelay(1, delays, 1)).toBe(36_000)
  })

  it('is none after the last one', () => {
    expect(retryDelay(4, delays, 0.5)).toBeUndefined()
  })
})

describe('the watermark of an event', () => {
  it.each([
    [7, undefined, 7],
    [7, 9, 7],
    [7, 8, 7],
    [7, 7, 6],
    [7, 3, 2],
  ])('at %i with %s as the oldest that waits beside it is %i', (position, oldest, watermark) => {
    expect(watermarkOf(position, oldest)).toBe(watermark)
  })
})

describe('the suspension of a subscription', () => {
  const counted = (failures: number, successes: number, at = NOON, before: Outcomes = []) => {
    let outcomes = before
    for (let count = 0; count < failures; count++) outcomes = countAttempt(outcomes, at, true)
    for (let count = 0; count < successes; count++) outcomes = countAttempt(outcomes, at, false)
    return outcomes
  }

  it.each([
    [99, 0, false],
    [100, 0, true],
    [96, 4, true],
    [95, 5, false],
    [0, 500, false],
  ])('after %i failures and %i successes is %s', (failures, successes, suspended) => {
    expect(isSuspended(counted(failures, successes))).toBe(suspended)
  })

  it('counts the attempts of the last hour alone', () => {
    const early = counted(60, 0)
    expect(isSuspended(counted(40, 0, NOON + 54 * MINUTE_MS, early))).toBe(true)
    expect(isSuspended(counted(40, 0, NOON + 61 * MINUTE_MS, early))).toBe(false)
    expect(countAttempt(early, NOON + 2 * HOUR_MS, true)).toHaveLength(1)
  })

  it('stores at most twelve numbers of attempts', () => {
    let outcomes: Outcomes = []
    for (let minute = 0; minute < 300; minute++) {
      outcomes = countAttempt(outcomes, NOON + minute * MINUTE_MS, true)
    }
    expect(outcomes).toHaveLength(12)
  })
})

describe('a cursor', () => {
  it.each([
    { log: 'a', position: 0 },
    { log: 'q8Jv-x_2', position: 1 },
    { log: 'a log with spaces', position: 999_999_999_999_999 },
  ])('of %j is read back, and begins with its version', (position) => {
    const cursor = formatCursor(position)
    expect(cursor).toMatch(/^1[A-Za-z0-9_-]+$/)
    expect(parseCursor(cursor)).toEqual(position)
  })

  it.each([
    '',
    '1',
    '2MSBh',
    'MSBh',
    '1MSBh=',
    '1!!!!',
    '1////',
    `1${btoa('1')}`,
    `1${btoa('-1 a').replaceAll('=', '')}`,
    `1${btoa(`${'9'.repeat(30)} a`).replaceAll('=', '')}`,
    'c_42',
  ])('of another server is unknown: %j', (text) => {
    expect(parseCursor(text)).toBeUndefined()
  })
})

describe('an error of the extension', () => {
  it.each([
    ['NotFound', -32023, -32011],
    ['Forbidden', -32024, -32012],
    ['ResourceExhausted', -32025, -32013],
    ['Unsupported', -32026, -32014],
    ['CallbackEndpointError', -32027, -32015],
  ] satisfies [EventErrorName, number, number][])(
    '%s has the number %i, and %i in the sketch',
    (name, sep, sketch) => {
      const error = { name, data: { reason: 'a' } }
      expect(eventErrorObject(error, 'sep')).toEqual({ code: sep, message: name, data: error.data })
      expect(eventErrorObject(error, 'sketch').code).toBe(sketch)
    },
  )
})
