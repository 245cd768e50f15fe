/** The SQL statements on a session's tables, by name. */
import type { StreamKind } from '../../src/ports/sessions.ts'
import type { StoredState } from '../run/run-state.ts'
import { createEntryStatements } from '../state/schema.ts'
import {
  eventKey,
  eventKeys,
  journalKey,
  journalKeys,
  requestKey,
  type Setting,
} from './row-keys.ts'
import {
  type AskRow,
  type EventRow,
  type JournalRow,
  type Retention,
  type RunRow,
  type StreamRow,
  TABLES,
} from './schema.ts'

export type Statements = ReturnType<typeof createStatements>

export function createStatements(sql: SqlStorage) {
  const first = <T extends Record<string, SqlStorageValue>>(query: string, ...args: unknown[]) =>
    sql.exec<T>(query, ...args).toArray()[0]
  const run = (query: string, ...args: unknown[]) => sql.exec(query, ...args).rowsWritten > 0
  return {
    entries: createEntryStatements(sql),
    deleteAllRows: () => {
      for (const table of TABLES) run(`DELETE FROM ${table}`)
    },

    setting: (name: Setting) =>
      first<{ value: string }>('SELECT value FROM settings WHERE name = ?', name)?.value,
    saveSetting: (name: Setting, value: string) =>
      run('INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)', name, value),

    stream: (id: string) => first<StreamRow>('SELECT * FROM streams WHERE id = ?', id),
    insertStream: (id: string, kind: StreamKind, startsAt: number) =>
      run(
        'INSERT OR IGNORE INTO streams (id, kind, starts_at) VALUES (?, ?, ?)',
        id,
        kind,
        startsAt,
      ),
    endStream: (id: string, at: number, size: number) =>
      run('UPDATE streams SET ended_at = ?, size = ? WHERE id = ?', at, size, id),
    savePruned: (id: string, seq: number) =>
      run('UPDATE streams SET pruned_to = ? WHERE id = ?', seq, id),
    deleteStream: (id: string) => {
      run('DELETE FROM parts WHERE owner LIKE ?', eventKeys(id))
      run('DELETE FROM events WHERE stream_id = ?', id)
      run('DELETE FROM streams WHERE id = ?', id)
    },
    /** Oldest first. */
    endedStreams: () =>
      sql
        .exec<{ id: string; ended_at: number; size: number }>(
          `SELECT id, ended_at, size FROM streams WHERE ended_at IS NOT NULL ORDER BY ended_at`,
        )
        .toArray(),
    endedSize: () =>
      first<{ size: number | null }>('SELECT sum(size) AS size FROM streams')?.size ?? 0,
    /** Streams that have not ended, with the time of their last event. */
    openStreams: () =>
      sql
        .exec<{ id: string; kind: StreamKind; last_at: number | null }>(
          `SELECT id, kind, max(at) AS last_at FROM streams
           LEFT JOIN events ON stream_id = id WHERE ended_at IS NULL GROUP BY id`,
        )
        .toArray(),

    insertEvent: (stream: string, { seq, run_id, data, size, retention, at }: EventRow) =>
      run(
        `INSERT INTO events (stream_id, seq, run_id, data, size, retention, at)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
        stream,
        seq,
        run_id,
        data,
        size,
        retention,
        at,
      ),
    eventsAfter: (stream: string, seq: number, limit: number) =>
      sql
        .exec<EventRow>(
          'SELECT * FROM events WHERE stream_id = ? AND seq > ? ORDER BY seq LIMIT ?',
          stream,
          seq,
          limit,
        )
        .toArray(),
    eventsOf: (stream: string, runId: string) =>
      sql
        .exec<EventRow>(
          'SELECT * FROM events WHERE stream_id = ? AND run_id = ? ORDER BY seq',
          stream,
          runId,
        )
        .toArray(),
    /** Oldest first. */
    prunableEvents: (stream: string) =>
      sql
        .exec<{ seq: number; size: number; retention: Retention }>(
          'SELECT seq, size, retention FROM events WHERE stream_id = ? AND retention IN (0, 2) ORDER BY seq',
          stream,
        )
        .toArray(),
    deletePrunable: (stream: string, upTo: number) => {
      const inParts = sql
        .exec<{ seq: number }>(
          'SELECT seq FROM events WHERE stream_id = ? AND seq <= ? AND retention IN (0, 2) AND data IS NULL',
          stream,
          upTo,
        )
        .toArray()
      for (const { seq } of inParts) {
        run('DELETE FROM parts WHERE owner = ?', eventKey(stream, seq))
      }
      run(
        'DELETE FROM events WHERE stream_id = ? AND seq <= ? AND retention IN (0, 2)',
        stream,
        upTo,
      )
    },
    /** The number of the last event until a time; 0 without one. */
    lastBefore: (stream: string, at: number) =>
      first<{ seq: number | null }>(
        'SELECT max(seq) AS seq FROM events WHERE stream_id = ? AND at <= ? AND retention IN (0, 2)',
        stream,
        at,
      )?.seq ?? 0,
    countStreams: () =>
      first<{ count: number }>('SELECT count(*) AS count FROM streams')?.count ?? 0,
    sizeOf: (stream: string) =>
      first<{ size: number | null }>(
        'SELECT sum(size) AS size FROM events WHERE stream_id = ?',
        stream,
      )?.size ?? 0,
    logTotals: (stream: string) =>
      sql
        .exec<{ last: number; count: number; size: number }>(
          `SELECT coalesce(max(seq), 0) AS last, coalesce(sum(retention = 0), 0) AS count,
           coalesce(sum(CASE retention WHEN 1 THEN 0 ELSE size END), 0) AS size
           FROM events WHERE stream_id = ?`,
          stream,
        )
        .one(),

    /** Not those in a state of a newer version, which must not be mistaken for an interruption. */
    runningRuns: () =>
      sql.exec<RunRow>("SELECT * FROM runs WHERE state IN ('running', 'ready')").toArray(),
    countWaiting: () =>
      first<{ count: number }>("SELECT count(*) AS count FROM runs WHERE state = 'waiting'")
        ?.count ?? 0,
    run: (id: string) => first<RunRow>('SELECT * FROM runs WHERE id = ?', id),
    runByRequest: (requestId: string) =>
      first<RunRow>('SELECT * FROM runs WHERE request_id = ?', requestId),
    countRuns: () => first<{ count: number }>('SELECT count(*) AS count FROM runs')?.count ?? 0,
    runsOfStream: (stream: string) =>
      first<{ count: number }>('SELECT count(*) AS count FROM runs WHERE stream_id = ?', stream)
        ?.count ?? 0,
    insertRun: ({
      id,
      stream_id,
      request_id,
      request,
      sent,
      caller,
    }: Omit<RunRow, 'state' | 'interruptions' | 'rounds'>) =>
      run(
        `INSERT INTO runs (id, stream_id, request_id, request, state, sent, caller)
         VALUES (?, ?, ?, ?, 'running', ?, ?)`,
        id,
        stream_id,
        request_id,
        request,
        sent,
        caller,
      ),
    saveRunState: (id: string, { name, rounds, interruptions }: StoredState) => {
      run(
        'UPDATE runs SET state = ?, rounds = ?, interruptions = ? WHERE id = ?',
        name,
        rounds,
        interruptions,
        id,
      )
    },
    saveSent: (id: string, sent: string) => run('UPDATE runs SET sent = ? WHERE id = ?', sent, id),
    deleteRun: (id: string) => {
      run('DELETE FROM parts WHERE owner = ? OR owner LIKE ?', requestKey(id), journalKeys(id))
      run('DELETE FROM journal WHERE run_id = ?', id)
      run('DELETE FROM asks WHERE run_id = ?', id)
      run('DELETE FROM runs WHERE id = ?', id)
    },

    journal: (run_id: string) =>
      sql
        .exec<JournalRow>('SELECT key, kind, value FROM journal WHERE run_id = ?', run_id)
        .toArray(),
    writeJournal: (run_id: string, { key, kind, value }: JournalRow) =>
      run(
        'INSERT OR REPLACE INTO journal (run_id, key, kind, value) VALUES (?, ?, ?, ?)',
        run_id,
        key,
        kind,
        value,
      ),
    deleteJournal: (run_id: string, key: string) => {
      run('DELETE FROM parts WHERE owner = ?', journalKey(run_id, key))
      run('DELETE FROM journal WHERE run_id = ? AND key = ?', run_id, key)
    },

    insertAsk: ({ id, run_id, key, method, expires_at }: AskRow) =>
      run(
        'INSERT INTO asks (id, run_id, key, method, expires_at) VALUES (?, ?, ?, ?, ?)',
        id,
        run_id,
        key,
        method,
        expires_at,
      ),
    ask: (id: string) => first<AskRow>('SELECT * FROM asks WHERE id = ?', id),
    asksOf: (run_id: string) =>
      sql.exec<AskRow>('SELECT * FROM asks WHERE run_id = ?', run_id).toArray(),
    deleteAsk: (run_id: string, key: string) =>
      run('DELETE FROM asks WHERE run_id = ? AND key = ?', run_id, key),
    deleteAsks: (run_id: string) => run('DELETE FROM asks WHERE run_id = ?', run_id),
    expiredAsks: (now: number) =>
      sql.exec<AskRow>('SELECT * FROM asks WHERE expires_at <= ?', now).toArray(),
    nextAskExpiry: () => first<{ at: number | null }>('SELECT min(expires_at) AS at FROM asks')?.at,

    subscriptions: () =>
      sql.exec<{ uri: string; spelling: string }>('SELECT * FROM subscriptions').toArray(),
    /** The spelling of a subscription; undefined without one. */
    spellingOf: (uri: string) =>
      first<{ spelling: string }>('SELECT spelling FROM subscriptions WHERE uri = ?', uri)
        ?.spelling,
    /** Number of subscriptions, and bytes of their spellings. */
    subscriptionTotals: () =>
      sql
        .exec<{ count: number; bytes: number }>(
          `SELECT count(*) AS count, coalesce(sum(length(CAST(spelling AS BLOB))), 0) AS bytes
           FROM subscriptions`,
        )
        .one(),
    subscribe: (uri: string, spelling: string) =>
      run('INSERT OR REPLACE INTO subscriptions (uri, spelling) VALUES (?, ?)', uri, spelling),
    unsubscribe: (uri: string) => run('DELETE FROM subscriptions WHERE uri = ?', uri),
    elicitations: () =>
      sql
        .exec<{ id: string }>('SELECT id FROM elicitations ORDER BY at')
        .toArray()
        .map(({ id }) => id),
    insertElicitation: (id: string, at: number) =>
      run('INSERT OR IGNORE INTO elicitations (id, at) VALUES (?, ?)', id, at),
    deleteElicitationsBefore: (before: number) =>
      run('DELETE FROM elicitations WHERE at <= ?', before),
    oldestElicitation: () =>
      first<{ at: number | null }>('SELECT min(at) AS at FROM elicitations')?.at ?? undefined,
    /** Returns whether the session expected it. */
    deleteElicitation: (id: string) => run('DELETE FROM elicitations WHERE id = ?', id),

    deleteParts: (owner: string) => run('DELETE FROM parts WHERE owner = ?', owner),
    insertPart: (owner: string, part: number, text: string) =>
      run('INSERT OR REPLACE INTO parts (owner, part, text) VALUES (?, ?, ?)', owner, part, text),
    parts: (owner: string) =>
      sql
        .exec<{ text: string }>('SELECT text FROM parts WHERE owner = ? ORDER BY part', owner)
        .toArray()
        .map(({ text }) => text),
  }
}
