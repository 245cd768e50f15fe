/** The rows of the inspector: their bounds, and how long the streams that read them keep a recording going. */
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { Tables } from '../../../../../durable-objects/tables.ts'
import { createStatements, MIGRATIONS } from '../../../src/objects/log/schema.ts'
import type { StoredTraffic, TrafficPage } from '../../../src/objects/traffic/port.ts'
import {
  LEASE_MS,
  MAX_ENTRY_LENGTH,
  MAX_TRAFFIC_BATCH,
  MAX_TRAFFIC_CHARACTERS,
  TRAFFIC_RETENTION_MS,
  TrafficLog,
} from '../../../src/objects/traffic/traffic-log.ts'

function withLog<T>(run: (log: TrafficLog) => T | Promise<T>): Promise<T> {
  const stub = env.MCP_OBJECTS.getByName(crypto.randomUUID())
  return runInDurableObject(stub, (_, { storage }) =>
    run(new TrafficLog(new Tables(storage, MIGRATIONS, createStatements))),
  )
}

const entryOf = (length: number): StoredTraffic => {
  const entry = `{"text":"${'x'.repeat(length - 11)}"}`
  return { at: Date.now(), owner: null, entry }
}

const read = (log: TrafficLog, after: number, watcher = 'one', subject?: string) =>
  log.read({ after, waitMs: 0, watcher, subject })

/** Reads every page. */
async function lengths(log: TrafficLog): Promise<number[]> {
  const found: number[] = []
  for (let after = 0; ; ) {
    const page: TrafficPage | undefined = await read(log, after)
    found.push(...(page?.entries ?? []).map(({ entry }) => entry.length))
    if (page === undefined || page.last === after) return found
    after = page.last
  }
}

describe('the entries of the inspector', () => {
  it('are left out when they are too long, and the others of their batch are kept', async () => {
    const kept = await withLog((log) => {
      log.append([entryOf(20), entryOf(MAX_ENTRY_LENGTH + 1), entryOf(MAX_ENTRY_LENGTH)])
      return lengths(log)
    })
    expect(kept).toEqual([20, MAX_ENTRY_LENGTH])
  })

  it('are at most 200 of one batch', async () => {
    const kept = await withLog((log) => {
      log.append(Array.from({ length: MAX_TRAFFIC_BATCH + 5 }, () => entryOf(20)))
      return lengths(log)
    })
    expect(kept).toHaveLength(MAX_TRAFFIC_BATCH)
  })

  it('have at most 4 Mi characters together, and the newest stay', async () => {
    const many = MAX_TRAFFIC_CHARACTERS / MAX_ENTRY_LENGTH
    const kept = await withLog((log) => {
      for (let n = 0; n < 2 * many; n++) log.append([entryOf(MAX_ENTRY_LENGTH)])
      for (let n = 0; n < 300; n++) log.append([entryOf(20)])
      return lengths(log)
    })
    expect(kept.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(
      MAX_TRAFFIC_CHARACTERS,
    )
    expect(kept.at(-1)).toBe(20)
  })

  it('are not shown after their retention, also before the alarm has deleted them', async () => {
    const kept = await withLog((log) => {
      log.append([entryOf(20)], Date.now() - TRAFFIC_RETENTION_MS)
      log.append([entryOf(30)])
      return lengths(log)
    })
    expect(kept).toEqual([30])
  })
})

describe('the lease of a recording', () => {
  it('ends a minute after the last read, with the subjects who have read', async () => {
    const [none, present, late] = await withLog(async (log) => {
      const before = log.lease()
      await read(log, 0, 'one', 'ada')
      await read(log, 0, 'two', 'ada')
      await read(log, 0, 'three')
      const now = Date.now()
      return [before, log.lease(now), log.lease(now + LEASE_MS)] as const
    })
    expect(none).toEqual({ until: 0, subjects: [] })
    expect(present.subjects).toEqual(['ada'])
    expect(present.until).toBeGreaterThan(Date.now())
    expect(late).toEqual({ until: 0, subjects: [] })
  })
})
