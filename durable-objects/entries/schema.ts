/** The table of entries, which state objects and session objects have: its row type and statements. */
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

/** A part of the first migration of the state object and of the session object, so it never changes. */
export const ENTRIES_TABLE = `CREATE TABLE entries (
    name TEXT PRIMARY KEY,
    value TEXT,
    digest TEXT NOT NULL,
    operation TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER
  ) STRICT, WITHOUT ROWID;`

export type EntryStatements = ReturnType<typeof createEntryStatements>

export function createEntryStatements(sql: SqlStorage) {
  const { first, count, run, insert } = createRows(sql)
  return {
    entry: (name: string) => first<EntryRow>('SELECT * FROM entries WHERE name = ?', name),
    saveEntry: (row: EntryRow) => insert('entries', row, 'INSERT OR REPLACE'),
    /** Those with a value. Expired ones count until they are deleted. */
    countEntries: () => count('entries WHERE value IS NOT NULL'),
    deleteExpired: (now: number) => run('DELETE FROM entries WHERE expires_at <= ?', now),
  }
}
