/** The hub's tables: row types, migrations, and every statement under a name. */
import type { ChangeKind } from '../../src/ports/change-bus.ts'

/**
 * `about` is the URI or the id of an elicitation where the kind has one; `subject` is as
 * `subjectKey` spells it, null for everybody's news. `kept_until` is epoch ms, and
 * kept instead of a time of arrival because an alarm wakes the object without its options.
 */
export type ChangeRow = {
  version: number
  kind: ChangeKind
  about: string | null
  subject: string | null
  kept_until: number
}

/** Applied in order, each once. Append only: an object that exists has run the earlier ones. */
export const MIGRATIONS: readonly string[] = [
  // AUTOINCREMENT remembers the last version beside the rows: a place in the news stays one place,
  // however many of them are forgotten.
  `CREATE TABLE changes (
    version INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    about TEXT,
    subject TEXT,
    kept_until INTEGER NOT NULL
  ) STRICT;`,
]

export type Statements = ReturnType<typeof createStatements>

export function createStatements(sql: SqlStorage) {
  return {
    /** Returns its version. */
    insert: ({ kind, about, subject, kept_until }: Omit<ChangeRow, 'version'>) =>
      sql
        .exec<Pick<ChangeRow, 'version'>>(
          `INSERT INTO changes (kind, about, subject, kept_until) VALUES (?, ?, ?, ?)
           RETURNING version`,
          kind,
          about,
          subject,
          kept_until,
        )
        .one().version,

    /** In order, one by one: those of some kinds, for everybody or for this subject. */
    after: (version: number, kinds: readonly ChangeKind[], subject: string | undefined) =>
      sql.exec<Pick<ChangeRow, 'version' | 'kind' | 'about'>>(
        `SELECT version, kind, about FROM changes
         WHERE version > ?
           AND kind IN (SELECT value FROM json_each(?))
           AND (subject IS NULL OR subject = ?)
         ORDER BY version`,
        version,
        JSON.stringify(kinds),
        subject ?? null,
      ),

    oldestVersion: () =>
      sql.exec<{ version: number | null }>('SELECT min(version) AS version FROM changes').one()
        .version ?? undefined,

    /** The last version given out, whether or not its row is still there; 0 before the first. */
    lastVersion: () =>
      sql
        .exec<{ version: number }>(
          `SELECT coalesce(max(seq), 0) AS version FROM sqlite_sequence WHERE name = 'changes'`,
        )
        .one().version,

    newestKeptUntil: () =>
      sql
        .exec<Pick<ChangeRow, 'kept_until'>>(
          'SELECT kept_until FROM changes ORDER BY version DESC LIMIT 1',
        )
        .toArray()[0]?.kept_until,

    deleteUpTo: (version: number) => {
      sql.exec('DELETE FROM changes WHERE version <= ?', version)
    },

    /** With everything before it: what is kept has no holes, even where clocks have jumped. */
    deleteExpired: (now: number) => {
      sql.exec(
        `DELETE FROM changes WHERE version <= (
           SELECT version FROM changes WHERE kept_until <= ? ORDER BY version DESC LIMIT 1
         )`,
        now,
      )
    },
  }
}
