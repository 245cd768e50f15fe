/** The tables of the log object: row types, migrations and statements. */
import { createRows } from '../../../../../src/internal.ts'

/** Append-only: an existing object has applied the earlier ones. */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE entries (
    number INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    origin TEXT,
    is_call INTEGER NOT NULL,
    owner TEXT,
    entry TEXT NOT NULL
  ) STRICT;
  CREATE INDEX entries_by_origin ON entries (origin, at) WHERE origin IS NOT NULL;

  CREATE TABLE settings (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;`,
]

/**
 * A step of the timeline or an entry of the inspector, as JSON. A step has an origin, and `is_call` is 1 for
 * a successful call. An entry of the inspector may have an owner: the subject whose message it has in full.
 */
export type EntryRow = {
  number: number
  at: number
  expires_at: number
  origin: string | null
  is_call: number
  owner: string | null
  entry: string
}

export type Statements = ReturnType<typeof createStatements>

export function createStatements(sql: SqlStorage) {
  const rows = createRows(sql)
  const { count, all, first, one, value, run, insert } = rows
  return {
    /** For the statements of the part that the inspector brings. */
    rows,
    insertEntry: (row: Omit<EntryRow, 'number'> & { number?: number }) => insert('entries', row),
    deleteExpired: (now: number) => run('DELETE FROM entries WHERE expires_at <= ?', now),
    /** When the next row expires, or the recording of production ends. */
    nextExpiry: () =>
      value<number>(
        `SELECT min(at) FROM (
           SELECT min(expires_at) AS at FROM entries
           UNION ALL SELECT CAST(value AS INTEGER) FROM settings WHERE name = 'until'
         )`,
      ),
    totals: () =>
      one<{ rows: number; characters: number }>(
        'SELECT count(*) AS rows, total(length(entry)) AS characters FROM entries',
      ),

    countCalls: (origin: string) => count('entries WHERE origin = ? AND is_call = 1', origin),
    /** Deletes the oldest steps of an origin beyond `limit`. */
    deleteStepsBeyond: (origin: string, limit: number) =>
      run(
        `DELETE FROM entries WHERE number IN (
           SELECT number FROM entries WHERE origin = ? ORDER BY at DESC, number DESC LIMIT -1 OFFSET ?
         )`,
        origin,
        limit,
      ),
    /** The origin whose last step is the oldest, with the size of its steps. */
    stalestOrigin: () =>
      first<{ origin: string; rows: number; characters: number }>(
        `SELECT origin, count(*) AS rows, sum(length(entry)) AS characters
         FROM entries WHERE origin IS NOT NULL GROUP BY origin ORDER BY max(at), origin LIMIT 1`,
      ),
    deleteStepsOf: (origin: string) => run('DELETE FROM entries WHERE origin = ?', origin),
    steps: (now: number) =>
      all<EntryRow>('SELECT * FROM entries WHERE expires_at > ? ORDER BY at, number', now),

    setting: (name: string) => value<string>('SELECT value FROM settings WHERE name = ?', name),
    saveSetting: (name: string, text: string) =>
      insert('settings', { name, value: text }, 'INSERT OR REPLACE'),
    deleteSetting: (name: string) => run('DELETE FROM settings WHERE name = ?', name),
  }
}
