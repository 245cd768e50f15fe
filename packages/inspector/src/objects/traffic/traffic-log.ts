/** The rows of the inspector, and the streams that read them: bounded in number, characters and time. */

import type { createRows, Tables } from '../../../../../src/internal.ts'
import { withDeadline } from '../../../../../src/platform/deadline.ts'
import type { EntryRow, Statements } from '../log/schema.ts'
import type { StoredTraffic, TrafficLease, TrafficPage, TrafficRead } from './port.ts'

/** How long an entry is stored. */
export const TRAFFIC_RETENTION_MS = 60 * 60 * 1000

/** Entries that are stored. The oldest are deleted. */
export const MAX_ENTRIES = 2_000

/** JSON of all stored entries, in UTF-16 code units. */
export const MAX_TRAFFIC_CHARACTERS = 4 * 1024 * 1024

/** JSON of one entry, in UTF-16 code units. */
export const MAX_ENTRY_LENGTH = 48 * 1024

/** Entries of one call. */
export const MAX_TRAFFIC_BATCH = 200

/** Streams that read at the same time. */
export const MAX_WATCHERS = 8

/** Production is recorded for this time after the last read. */
export const LEASE_MS = 60_000

/** A stream that has not read for this time is over. Longer than the longest wait. */
const WATCHER_MS = 30_000

/** A row is deleted together with the others of this share of the table. */
const DELETED_AT_ONCE = 256

interface Watcher {
  readonly subject: string | undefined
  readonly readAt: number
  /** Its stream is over. What it watched is recorded until the end of its lease. */
  readonly hasLeft: boolean
}

/** What one object holds in memory. After an eviction, the streams read again and renew it. */
export class TrafficLog {
  readonly #tables: Tables<Statements>
  readonly #watchers = new Map<string, Watcher>()
  readonly #waiting = new Set<() => void>()
  /** What is stored; undefined before it was counted. */
  #totals: { rows: number; characters: number } | undefined

  constructor(tables: Tables<Statements>) {
    this.#tables = tables
  }

  lease(now = Date.now()): TrafficLease {
    const current = [...this.#watchers.values()].filter(({ readAt }) => readAt + LEASE_MS > now)
    const subjects = current.flatMap(({ subject }) => subject ?? [])
    return {
      until: Math.max(0, ...current.map(({ readAt }) => readAt + LEASE_MS)),
      subjects: [...new Set(subjects)],
    }
  }

  append(entries: readonly StoredTraffic[], now = Date.now()): void {
    const { statements } = this.#tables
    const traffic = createTrafficStatements(statements.rows)
    const fitting = entries.filter(({ entry }) => entry.length <= MAX_ENTRY_LENGTH)
    this.#totals ??= statements.totals()
    const totals = this.#totals
    // Greater than every number before, also when all rows were deleted in the meantime.
    let number = Math.max(traffic.last() ?? 0, now * NUMBERS_PER_MS - 1)
    for (const { at, owner, entry } of fitting.slice(0, MAX_TRAFFIC_BATCH)) {
      number += 1
      const time = Math.min(at, now)
      const expires_at = time + TRAFFIC_RETENTION_MS
      statements.insertEntry({
        number,
        at: time,
        expires_at,
        origin: null,
        is_call: 0,
        owner,
        entry,
      })
      totals.rows += 1
      totals.characters += entry.length
    }
    this.#deleteExcess(traffic, totals)
    for (const wake of this.#waiting) wake()
    this.#waiting.clear()
  }

  /** Undefined when too many streams read. */
  async read({ after, waitMs, watcher, subject }: TrafficRead): Promise<TrafficPage | undefined> {
    const now = Date.now()
    for (const [name, { readAt }] of this.#watchers) {
      if (readAt + WATCHER_MS + LEASE_MS < now) this.#watchers.delete(name)
    }
    const reading = [...this.#watchers].filter(
      ([name, { readAt, hasLeft }]) => name !== watcher && !hasLeft && readAt + WATCHER_MS > now,
    )
    if (reading.length >= MAX_WATCHERS) return undefined
    this.#watchers.set(watcher, { subject, readAt: now, hasLeft: false })
    const last = this.#existing?.last() ?? 0
    const start = Math.min(after ?? last, last)
    const found = this.#page(start)
    if (found.entries.length > 0 || waitMs === 0) return found
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.add(resolve)
    await withDeadline(waitMs, promise)
    this.#waiting.delete(resolve)
    return this.#page(start)
  }

  leave(name: string): void {
    const watcher = this.#watchers.get(name)
    if (watcher !== undefined) this.#watchers.set(name, { ...watcher, hasLeft: true })
  }

  purged(): void {
    this.#totals = undefined
  }

  get #existing(): TrafficStatements | undefined {
    const { existing } = this.#tables
    return existing && createTrafficStatements(existing.rows)
  }

  #page(after: number): TrafficPage {
    const now = Date.now()
    const rows = this.#existing?.after(after, MAX_TRAFFIC_BATCH) ?? []
    return {
      entries: rows
        .filter(({ expires_at }) => expires_at > now)
        .map(({ number, owner, entry }) => ({ number, owner, entry })),
      last: rows.at(-1)?.number ?? after,
    }
  }

  #deleteExcess(statements: TrafficStatements, totals: { rows: number; characters: number }): void {
    while (totals.rows > MAX_ENTRIES || totals.characters > MAX_TRAFFIC_CHARACTERS) {
      const oldest = statements.oldest(DELETED_AT_ONCE)
      const last = oldest.at(-1)
      if (last === undefined) break
      statements.deleteUntil(last.number)
      totals.rows -= oldest.length
      for (const { length } of oldest) totals.characters -= length
    }
  }
}

/** Numbers continue those of rows that are deleted, because they begin with the time. */
const NUMBERS_PER_MS = 8

/** The statements of the inspector on the entries of a log object. */
type TrafficStatements = ReturnType<typeof createTrafficStatements>

function createTrafficStatements({ all, value, run }: ReturnType<typeof createRows>) {
  return {
    last: () => value<number>('SELECT max(number) FROM entries'),
    after: (number: number, limit: number) =>
      all<EntryRow>(
        'SELECT * FROM entries WHERE number > ? ORDER BY number LIMIT ?',
        number,
        limit,
      ),
    oldest: (limit: number) =>
      all<{ number: number; length: number }>(
        'SELECT number, length(entry) AS length FROM entries ORDER BY number LIMIT ?',
        limit,
      ),
    deleteUntil: (number: number) => run('DELETE FROM entries WHERE number <= ?', number),
  }
}
