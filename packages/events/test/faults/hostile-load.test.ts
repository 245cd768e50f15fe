/** A small load of hostile callers and receivers. `npm run stress -- event-load --hostile` runs a large one. */
// features: events
import { beforeAll, describe, expect, it } from 'vitest'
import { type HostileReport, measureHostileLoad } from './load/hostile-load.ts'

/** `deliveryTimeoutMs`: a delivery that waits for a hostile callback takes longer. */
const DELAYED_MS = 10_000

/** A quarter of one answer of a hostile receiver. */
const MEGABYTES = 256

let report: HostileReport

beforeAll(async () => {
  report = await measureHostileLoad({ others: 5, flood: 300, receivers: 1, seconds: 12 })
}, 240_000)

describe('subscriptions of other principals', () => {
  it.each([
    ['one principal floods the server with subscribes', 'flood of one principal'],
    ['many principals flood the server with subscribes', 'flood of many principals'],
    ['receivers answer with a gigabyte, slowly, never, or by a reset', 'hostile receivers'],
  ])('receive their events in time while %s', (_, part) => {
    expect(report[part]?.deliveries).toBeGreaterThan(0)
    expect(report[part]?.maxMs).toBeLessThan(DELAYED_MS)
  })
})

describe('a server with events', () => {
  it('sends 10 challenges a minute for one principal, and refuses its other subscribes with the limit', () => {
    const { answers, challenges } = report['flood of one principal'] ?? {}
    // A flood on a busy machine may take longer than a minute.
    expect(challenges).toBe(answers?.subscribed)
    expect(answers?.subscribed).toBeLessThanOrEqual(20)
    const limit = JSON.stringify({ limit: 'verifications_per_minute', max: 10 })
    expect((answers?.subscribed ?? 0) + (answers?.[limit] ?? 0)).toBe(300)
  })

  it('refuses receivers that answer a challenge with a gigabyte, or never', () => {
    const { answers } = report['hostile receivers'] ?? {}
    expect(answers).toEqual({
      subscribed: 40,
      '{"reason":"challenge_failed"}': 10,
      '{"reason":"timeout"}': 10,
    })
  })

  it('keeps its memory while receivers answer deliveries with gigabytes, slowly, never, or by a reset', () => {
    const {
      megabytesBefore = 0,
      megabytesPeak = 0,
      hostileDeliveries,
    } = report['hostile receivers'] ?? {}
    expect(hostileDeliveries).toBeGreaterThan(40)
    expect(megabytesPeak - megabytesBefore).toBeLessThan(MEGABYTES)
  })
})
