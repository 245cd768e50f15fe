/** The table of the throttle: one row for each key with failed guesses. */
import { createRows } from '../sql-rows.ts'
import { dueStatements } from './due-rows.ts'

/** `key` is a digest. No guess is allowed before `wait_until`. */
export type GuessRow = { key: string; failures: number; wait_until: number; due_at: number }

/** Append-only: an existing object has applied the earlier ones. */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE guesses (
    key TEXT PRIMARY KEY,
    failures INTEGER NOT NULL,
    wait_until INTEGER NOT NULL,
    due_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX guesses_by_due ON guesses (due_at);`,
]

export type ThrottleStatements = ReturnType<typeof createThrottleStatements>

export function createThrottleStatements(sql: SqlStorage) {
  const { first, count, run, insert } = createRows(sql)
  return {
    guesses: (key: string) => first<GuessRow>('SELECT * FROM guesses WHERE key = ?', key),
    putGuesses: (row: GuessRow) => insert('guesses', row, 'INSERT OR REPLACE'),
    countGuesses: () => count('guesses'),
    /** The keys with the fewest failures first. */
    deleteFewestGuesses: (most: number) =>
      run(
        `DELETE FROM guesses WHERE key IN (
           SELECT key FROM guesses ORDER BY failures, due_at LIMIT ?
         )`,
        most,
      ),
    ...dueStatements(sql, ['guesses']),
  }
}
