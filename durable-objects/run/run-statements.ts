/** The rows of runs, and the SQL statements on them by name: those of a session and of a task are the same. */
import type { EntryKind } from '../../src/dispatch/journal/journal.ts'
import type { Wait } from '../../src/dispatch/journal/wait.ts'
import type { Rows } from '../sql-rows.ts'

/** The columns that every run has. The texts are JSON. */
export type RunRow = {
  /** Null when the text is in parts. */
  request: string | null
  state: string
  rounds: number
  interruptions: number
  /** The `SentRecord` of the earlier rounds. */
  sent: string
  /** The sealed record of the caller; null on a server without authorization. */
  caller: string | null
}

/** What one decision changes in the row of a run, by column. */
export type RunColumns = Readonly<Record<string, SqlStorageValue>>

/** `fresh` is a response, a wake-up or an event that no handler has read yet. */
export type JournalKind = EntryKind | 'fresh'

/** The value is null when the text is in parts. */
export type JournalRow = { key: string; kind: JournalKind; value: string | null }

/** What a run waits for: an ask, a time, an event, or the end of a task. */
export type WaitRow = {
  run_id: string
  key: string
  kind: 'ask' | Wait['kind']
  /** The id or key of an ask on the wire, which no other ask of the object ever has; null for any other wait. */
  wire_key: string | null
  /** What the owner of the run notes of an ask, the schema of an event as JSON, or a task id; null without any. */
  detail: string | null
  /** When the wait ends; null, as in an inbox, for one without an end. */
  until: number | null
}

export type RunStatements = ReturnType<typeof createRunStatements>

/** The rows of the tables of one object. */
export interface RunTables {
  /** The name of the table of the runs. */
  readonly runs: string
  readonly rows: Rows
  readonly journal?: Rows
  readonly waits?: Rows
  readonly parts?: Rows
}

export function createRunStatements({
  runs,
  rows,
  journal = rows,
  waits = rows,
  parts = rows,
}: RunTables) {
  return {
    saveRun: (id: string, columns: RunColumns) => rows.update(runs, columns, 'id = ?', id),

    journal: (run_id: string) =>
      journal.all<JournalRow>('SELECT key, kind, value FROM journal WHERE run_id = ?', run_id),
    entry: (run_id: string, key: string) =>
      journal.first<JournalRow>('SELECT * FROM journal WHERE run_id = ? AND key = ?', run_id, key),
    countUnread: (run_id: string) =>
      journal.all("SELECT key FROM journal WHERE run_id = ? AND kind = 'fresh'", run_id).length,
    writeEntry: (run_id: string, row: JournalRow) =>
      journal.insert('journal', { run_id, ...row }, 'INSERT OR REPLACE'),
    deleteEntry: (run_id: string, key: string) =>
      journal.run('DELETE FROM journal WHERE run_id = ? AND key = ?', run_id, key),
    deleteJournal: (run_id: string) => journal.run('DELETE FROM journal WHERE run_id = ?', run_id),

    wait: (run_id: string, key: string) =>
      waits.first<WaitRow>('SELECT * FROM waits WHERE run_id = ? AND key = ?', run_id, key),
    waitsOf: (run_id: string) => waits.all<WaitRow>('SELECT * FROM waits WHERE run_id = ?', run_id),
    insertWait: (row: WaitRow) => waits.insert('waits', row, 'INSERT OR REPLACE'),
    deleteWait: (run_id: string, key: string) =>
      waits.run('DELETE FROM waits WHERE run_id = ? AND key = ?', run_id, key),
    deleteWaits: (run_id: string) => waits.run('DELETE FROM waits WHERE run_id = ?', run_id),
    /** Without asks: a run whose asks have expired has failed. */
    dueWaits: (now: number) =>
      waits.all<WaitRow>("SELECT * FROM waits WHERE kind <> 'ask' AND until <= ?", now),
    nextWake: () => waits.value<number>('SELECT min(until) FROM waits'),

    insertPart: (owner: string, part: number, text: string) =>
      parts.insert('parts', { owner, part, text }, 'INSERT OR REPLACE'),
    deleteParts: (owner: string) => parts.run('DELETE FROM parts WHERE owner = ?', owner),
    /** @param owners a LIKE pattern, in which no key of an author stands: it may contain wildcards */
    deletePartsLike: (owners: string) => parts.run('DELETE FROM parts WHERE owner LIKE ?', owners),
    parts: (owner: string) =>
      parts
        .all<{ text: string }>('SELECT text FROM parts WHERE owner = ? ORDER BY part', owner)
        .map(({ text }) => text),
  }
}
