/** The table of the state object: row type, migrations and statements. A session has the same table. */
import { createRows } from '../sql-rows.ts'

/** Times are epoch milliseconds. */
export type EntryRow = {
  name: string
  /** JSON; null for an entry that was deleted, which is kept for a while to recognise a repeated operation. */
  value: string | null
  digest: string
  /** The operation that wrote the row. */
  operation: string
  created_at: number
  /** Null for an entry that does not expire. */
  expires_at: number | null
}

/** Append-only: an existing object has applied the earlier ones. */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE entries (
    name TEXT PRIMARY KEY,
    value TEXT,
    digest TEXT NOT NULL,
    operation TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX entries_by_expiry ON entries (expires_at) WHERE expires_at IS NOT NULL;`,
]

export type EntryStatements = ReturnType<typeof createEntryStatements>

export function createEntryStatements(sql: SqlStorage) {
  const { first, run, insert } = createRows(sql)
  const count = (query: string) => first<{ count: number }>(query)?.count ?? 0
  return {
    entry: (name: string) => first<EntryRow>('SELECT * FROM entries WHERE name = ?', name),
    saveEntry: (row: EntryRow) => insert('entries', row, 'INSERT OR REPLACE'),
    /** Those with a value. Expired ones count until they are deleted. */
    countEntries: () => count('SELECT count(*) AS count FROM entries WHERE value IS NOT NULL'),
    countRows: () => count('SELECT count(*) AS count FROM entries'),
    deleteExpired: (now: number) => run('DELETE FROM entries WHERE expires_at <= ?', now),
    nextExpiry: () =>
      first<{ at: number | null }>('SELECT min(expires_at) AS at FROM entries')?.at ?? undefined,
  }
}
