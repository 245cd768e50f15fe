/** The SQL statements on a session's tables, by name. */
import type { StreamKind } from '../../src/ports/sessions.ts'
import { createEntryStatements } from '../entries/schema.ts'
import { createRunStatements, type WaitRow } from '../run/run-statements.ts'
import { createRows, type Rows } from '../sql-rows.ts'
import { eventKey, eventKeys, type Setting, taskAskKey } from './row-keys.ts'
import { type EventRow, type Retention, type RunRow, type StreamRow, TABLES } from './schema.ts'

export type Statements = ReturnType<typeof createStatements>

export function createStatements(sql: SqlStorage) {
  const rows = createRows(sql)
  return {
    rows,
    entries: createEntryStatements(sql),
    deleteAllRows: () => {
      for (const table of TABLES) rows.run(`DELETE FROM ${table}`)
    },
    ...settingStatements(rows),
    ...streamStatements(rows),
    ...eventStatements(rows),
    ...runStatements(rows),
    ...taskAskStatements(rows),
    ...createSubscriptionStatements(rows),
  }
}

function settingStatements({ value, run, insert }: Rows) {
  return {
    setting: (name: Setting) => value<string>('SELECT value FROM settings WHERE name = ?', name),
    deleteSetting: (name: Setting) => run('DELETE FROM settings WHERE name = ?', name),
    saveSetting: (name: Setting, value: string) =>
      insert('settings', { name, value }, 'INSERT OR REPLACE'),
  }
}

function streamStatements({ all, first, count, run, insert }: Rows) {
  const deleteEvents = (stream: string) => {
    run('DELETE FROM parts WHERE owner LIKE ?', eventKeys(stream))
    run('DELETE FROM events WHERE stream_id = ?', stream)
  }
  return {
    stream: (id: string) => first<StreamRow>('SELECT * FROM streams WHERE id = ?', id),
    insertStream: (id: string, kind: StreamKind, startsAt: number) =>
      insert('streams', { id, kind, starts_at: startsAt }, 'INSERT OR IGNORE'),
    endStream: (id: string, at: number, size: number) =>
      run('UPDATE streams SET ended_at = ?, size = ? WHERE id = ?', at, size, id),
    savePruned: (id: string, seq: number) =>
      run('UPDATE streams SET pruned_to = ? WHERE id = ?', seq, id),
    deleteEvents,
    deleteStream: (id: string) => {
      deleteEvents(id)
      run('DELETE FROM streams WHERE id = ?', id)
    },
    /** Oldest first. */
    endedStreams: () =>
      all<{ id: string; ended_at: number; size: number }>(
        `SELECT id, ended_at, size FROM streams WHERE ended_at IS NOT NULL ORDER BY ended_at`,
      ),
    /** Streams that have not ended, with the time of their last event. */
    openStreams: () =>
      all<{ id: string; kind: StreamKind; last_at: number | null }>(
        `SELECT id, kind, max(at) AS last_at FROM streams
           LEFT JOIN events ON stream_id = id WHERE ended_at IS NULL GROUP BY id`,
      ),

    /** Open streams without events and without a request that is running, the latest first. */
    quietStreams: () =>
      all<{ id: string }>(
        `SELECT id FROM streams WHERE ended_at IS NULL AND kind <> 'answer'
           AND id NOT IN (SELECT stream_id FROM events UNION SELECT stream_id FROM runs)
           ORDER BY max(pruned_to, starts_at) DESC`,
      ),
    countStreams: () => count('streams'),
  }
}

function eventStatements({ all, value, one, run, insert }: Rows) {
  const sum = (rows: string, ...values: SqlStorageValue[]) =>
    value<number>(`SELECT sum(size) FROM ${rows}`, ...values) ?? 0
  return {
    insertEvent: (stream_id: string, row: EventRow) => insert('events', { stream_id, ...row }),
    eventsAfter: (stream: string, seq: number, limit: number) =>
      all<EventRow>(
        'SELECT * FROM events WHERE stream_id = ? AND seq > ? ORDER BY seq LIMIT ?',
        stream,
        seq,
        limit,
      ),
    eventsOf: (stream: string, runId: string) =>
      all<EventRow>(
        'SELECT * FROM events WHERE stream_id = ? AND run_id = ? ORDER BY seq',
        stream,
        runId,
      ),
    /** Oldest first. */
    prunableEvents: (stream: string) =>
      all<{ seq: number; size: number; retention: Retention }>(
        'SELECT seq, size, retention FROM events WHERE stream_id = ? AND retention IN (0, 2) ORDER BY seq',
        stream,
      ),
    deletePrunable: (stream: string, upTo: number) => {
      const inParts = all<{ seq: number }>(
        'SELECT seq FROM events WHERE stream_id = ? AND seq <= ? AND retention IN (0, 2) AND data IS NULL',
        stream,
        upTo,
      )
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
      value<number>(
        'SELECT max(seq) FROM events WHERE stream_id = ? AND at <= ? AND retention IN (0, 2)',
        stream,
        at,
      ) ?? 0,
    endedSize: () => sum('streams'),
    sizeOf: (stream: string) => sum('events WHERE stream_id = ?', stream),
    logTotals: (stream: string) =>
      one<{ last: number; count: number; size: number }>(
        `SELECT coalesce(max(seq), 0) AS last, total(retention = 0) AS count,
         total(CASE retention WHEN 1 THEN 0 ELSE size END) AS size
         FROM events WHERE stream_id = ?`,
        stream,
      ),
  }
}

function runStatements(rows: Rows) {
  const { all, first, count, run, insert } = rows
  return {
    ...createRunStatements({ runs: 'runs', rows }),
    /** Not those in a state of a newer version, which must not be mistaken for an interruption. */
    runningRuns: () => all<RunRow>("SELECT * FROM runs WHERE state IN ('running', 'ready')"),
    waitingRuns: () => all<RunRow>("SELECT * FROM runs WHERE state = 'waiting'"),
    countWaiting: () => count("runs WHERE state = 'waiting'"),
    run: (id: string) => first<RunRow>('SELECT * FROM runs WHERE id = ?', id),
    runByRequest: (requestId: string) =>
      first<RunRow>('SELECT * FROM runs WHERE request_id = ?', requestId),
    countRuns: () => count('runs'),
    runsOn: (stream: string) => all<RunRow>('SELECT * FROM runs WHERE stream_id = ?', stream),
    runsOfStream: (stream: string) => count('runs WHERE stream_id = ?', stream),
    insertRun: (row: Omit<RunRow, 'state' | 'interruptions' | 'rounds'>) =>
      insert('runs', { ...row, state: 'running' }),
    deleteRun: (id: string) => run('DELETE FROM runs WHERE id = ?', id),

    ask: (wire_key: string) => first<WaitRow>('SELECT * FROM waits WHERE wire_key = ?', wire_key),
    expiredAsks: (now: number) =>
      all<WaitRow>("SELECT * FROM waits WHERE kind = 'ask' AND until <= ?", now),
  }
}

function taskAskStatements({ all, count, value, run }: Rows) {
  const deleteTaskAsk = (id: string) => {
    run('DELETE FROM parts WHERE owner = ?', taskAskKey(id))
    run('DELETE FROM task_asks WHERE id = ?', id)
  }
  return {
    countTaskAsks: () => count('task_asks'),
    /** Deletes the asks of tasks that have ended, and returns when the next ones end. */
    deleteTaskAsksBefore: (now: number) => {
      const ended = all<{ id: string }>('SELECT id FROM task_asks WHERE expires_at <= ?', now)
      for (const { id } of ended) deleteTaskAsk(id)
      return value<number>('SELECT min(expires_at) FROM task_asks')
    },
    deleteTaskAsk,
  }
}

/** What the client waits for: resource subscriptions and elicitations. */
function createSubscriptionStatements({ all, value, one, run, insert }: Rows) {
  return {
    subscriptions: () => all<{ uri: string; spelling: string }>('SELECT * FROM subscriptions'),
    /** The spelling of a subscription; undefined without one. */
    spellingOf: (uri: string) =>
      value<string>('SELECT spelling FROM subscriptions WHERE uri = ?', uri),
    /** Number of subscriptions, and bytes of their spellings. */
    subscriptionTotals: () =>
      one<{ count: number; bytes: number }>(
        `SELECT count(*) AS count, total(length(CAST(spelling AS BLOB))) AS bytes
         FROM subscriptions`,
      ),
    subscribe: (uri: string, spelling: string) =>
      insert('subscriptions', { uri, spelling }, 'INSERT OR REPLACE'),
    unsubscribe: (uri: string) => run('DELETE FROM subscriptions WHERE uri = ?', uri),
    elicitations: () =>
      all<{ id: string }>('SELECT id FROM elicitations ORDER BY at').map(({ id }) => id),
    insertElicitation: (id: string, at: number) =>
      insert('elicitations', { id, at }, 'INSERT OR IGNORE'),
    deleteElicitationsBefore: (before: number) =>
      run('DELETE FROM elicitations WHERE at <= ?', before),
    oldestElicitation: () => value<number>('SELECT min(at) FROM elicitations'),
    /** Returns whether the session expected it. */
    deleteElicitation: (id: string) => run('DELETE FROM elicitations WHERE id = ?', id),
  }
}
