/** The table of a hub shard: row type, migrations and statements. */
import type { ChangeKind } from '../../src/ports/change-kinds.ts'
import { createRows } from '../sql-rows.ts'

export type ChangeRow = {
  version: number
  kind: ChangeKind
  /** The URI of the resource or the id of the elicitation; null for kinds without one. */
  about: string | null
  /** From `subjectKey`; null for a change for all listeners. */
  subject: string | null
  /** The audience of the server that published it. */
  server: string
  /**
   * Epoch milliseconds. Stored instead of the time of publication, because the alarm runs without
   * the retention that the publisher chose.
   */
  retain_until: number
}

/** Append-only: an existing object has applied the earlier ones. */
export const MIGRATIONS: readonly string[] = [
  // AUTOINCREMENT stores the newest version beside the rows, so that a version is never given to
  // another change, even after all rows were deleted.
  `CREATE TABLE changes (
    version INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    about TEXT,
    subject TEXT,
    server TEXT NOT NULL,
    retain_until INTEGER NOT NULL
  ) STRICT;`,
]

export type Statements = ReturnType<typeof createStatements>

export function createStatements(sql: SqlStorage) {
  const { value, run } = createRows(sql)
  return {
    /** Returns the version of the change. */
    insertChange: ({ kind, about, subject, server, retain_until }: Omit<ChangeRow, 'version'>) =>
      sql
        .exec<Pick<ChangeRow, 'version'>>(
          `INSERT INTO changes (kind, about, subject, server, retain_until) VALUES (?, ?, ?, ?, ?)
           RETURNING version`,
          kind,
          about,
          subject,
          server,
          retain_until,
        )
        .one().version,

    /** The changes after a version of some kinds, for all listeners or for this subject. In order, read one by one. */
    changesAfter: (version: number, kinds: readonly ChangeKind[], subject: string | undefined) =>
      sql.exec<Pick<ChangeRow, 'version' | 'kind' | 'about' | 'server'> & { is_own: number }>(
        `SELECT version, kind, about, server, subject IS NOT NULL AS is_own FROM changes
         WHERE version > ?
           AND kind IN (SELECT value FROM json_each(?))
           AND (subject IS NULL OR subject = ?)
         ORDER BY version`,
        version,
        JSON.stringify(kinds),
        subject ?? null,
      ),

    oldestVersion: () => value<number>('SELECT min(version) FROM changes'),

    /** The newest version, whether or not its row still exists; 0 before the first. */
    lastVersion: () => value<number>(`SELECT seq FROM sqlite_sequence WHERE name = 'changes'`) ?? 0,

    newestRetainUntil: () =>
      value<number>('SELECT retain_until FROM changes ORDER BY version DESC LIMIT 1'),

    deleteUpTo: (version: number) => run('DELETE FROM changes WHERE version <= ?', version),

    /** Deletes every version before an expired one as well: the log has no gaps, even when clocks jump. */
    deleteExpired: (now: number) =>
      run(
        `DELETE FROM changes WHERE version <= (
           SELECT version FROM changes WHERE retain_until <= ? ORDER BY version DESC LIMIT 1
         )`,
        now,
      ),
  }
}
