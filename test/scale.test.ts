/** The page `docs/scale.md`: it holds the tables of `npm run scale`, and their arithmetic is that of a month. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import counts from '../scripts/support/scale-counts.json' with { type: 'json' }
import {
  dollars,
  needs,
  recorded,
  type ScaleCounts,
  scaleTables,
  withTables,
} from '../scripts/support/scale-tables.ts'

const COUNTS: ScaleCounts = counts
const page = readFileSync(resolve(import.meta.dirname, '../docs/scale.md'), 'utf8')

describe('docs/scale.md', () => {
  it('holds every table that `npm run scale` computes from the counts', () => {
    const tables = scaleTables(COUNTS)
    expect(page).toBe(withTables(page, tables))
    for (const table of Object.values(tables)) expect(page).toContain(table)
  })

  it('has at most 120 lines', () => {
    expect(page.trimEnd().split('\n').length).toBeLessThanOrEqual(120)
  })
})

describe('what a month needs', () => {
  const assumptions = { ...counts.assumptions, streams: 20_000, tasks: 2, 'task-polls': 3 }
  const month = needs({ ...COUNTS, assumptions })

  it('multiplies what was counted for a stream by its openings, minutes and changes', () => {
    const { operations } = counts.runs.usage
    const { objects, heartbeats, rowsWritten } = month['listeners (`subscriptions/listen`)'] ?? {}
    expect([objects, heartbeats]).toEqual([2, 20_000 * 43_200 * 2])
    expect(rowsWritten).toBeCloseTo(20_000 * 30 * operations['change-to-listener'].rowsWritten, 5)
  })

  it('counts the event, the steps, the polls and the deletion of a task', () => {
    const { objects, workerRequests, objectRequests } = month.tasks ?? {}
    expect([objects, workerRequests, objectRequests]).toEqual([2, 2 * (3 + 3), 2 * (4 + 3 + 2)])
  })

  it('fails for an operation that was not counted', () => {
    expect(() => needs({ ...COUNTS, runs: {} })).toThrow('was not counted')
  })
})

describe('the cost of a month', () => {
  it('is that of the example of the pricing page of Durable Objects, beyond what the plan includes', () => {
    // 100 objects with 100 hibernating sockets each, and one message a minute on each socket.
    const usage = { objectRequests: 10_000, messages: 432e6 }
    // The example subtracts a million requests ($0.15) and 400,000 GB-s ($5), which the plan includes.
    expect(dollars(usage, COUNTS)).toBeCloseTo(3.0915 + 0.15 + 1.91216 + 5, 10)
  })

  it('contains heartbeats as messages without duration', () => {
    expect(dollars({ heartbeats: 20e6 }, COUNTS)).toBeCloseTo(0.15, 10)
  })
})

describe('`npm run scale -- --record`', () => {
  it('replaces what a run of the benchmark has counted, and keeps the rest', () => {
    const counted = [
      { lane: 'edgeway', use: 'a', rowsRead: 1 },
      { lane: 'official SDK', use: 'b', rowsRead: 2 },
    ]
    const { runs } = recorded(COUNTS, { at: '2026-01-01', usageCounts: counted })
    const { command } = counts.runs.usage
    expect(runs).toEqual({
      ...counts.runs,
      usage: { command, at: '2026-01-01', operations: { a: { rowsRead: 1 } } },
    })
  })
})
