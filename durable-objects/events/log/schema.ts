/** The tables of a log: row types, migrations and statements. Times are epoch milliseconds. */
import type { EventControlWord } from '../../../src/ports/events.ts'
import { createRows } from '../../sql-rows.ts'

export type OccurrenceRow = {
  position: number
  event_id: string
  timestamp: string
  data: string
  /** Null: it concerns everyone. */
  subject: string | null
  /** Null for an occurrence with data of the type. */
  control: EventControlWord | null
  emitted_at: number
}

/** The one row about the log itself. */
export type LogRow = {
  /** Random: positions of another log are recognised by it. */
  name: string
  type: string
  subject: string | null
  /** Everything up to here was handed to every subscription that is not late. */
  handed: number
  /** The end of the batch that is handed over now; null between two batches. */
  batch_end: number | null
  /** The last principal to which the batch was handed over, in the order of principals. */
  batch_principal: string | null
  /** When expired rows are deleted. */
  sweep_at: number
  /** Whether the last sweep has left no rows. */
  is_quiet: number
}

/** A subscription in the index. It is late while `retry_at` is set, and on time otherwise. */
export type SubscriptionRow = {
  /** The registration: each has another number. */
  number: number
  id: string
  principal: string
  subject: string | null
  arguments: string
  /** Up to here, everything was accepted or is not wanted. Of one that is on time, the progress of the fan-out may be later. */
  position: number
  /** Whether occurrences before the next one are lost. */
  lost: number
  /** How often the object of the principal has failed, since it has last accepted. */
  failures: number
  /** How often the author's `matches` has thrown at the occurrence after `position`. */
  faults: number
  retry_at: number | null
  late_since: number | null
}

/** A listener at the upstream. `key` is the digest of the arguments. */
export type ListenerRow = {
  key: string
  arguments: string
  /** When it is next examined whether the listener is needed. */
  leased_until: number
  /** How often the author's `stop` has failed. */
  failures: number
}

/** Append-only: an existing object has applied the earlier ones. */
export const MIGRATIONS: readonly string[] = [
  // AUTOINCREMENT: neither a position nor the number of a registration is given twice.
  `CREATE TABLE occurrences (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    event_id TEXT NOT NULL,
    timestamp TEXT NOT NULL,
    data TEXT NOT NULL,
    subject TEXT,
    control TEXT,
    emitted_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE event_ids (
    id TEXT PRIMARY KEY,
    position INTEGER NOT NULL,
    due_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE log (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    subject TEXT,
    handed INTEGER NOT NULL DEFAULT 0,
    batch_end INTEGER,
    batch_principal TEXT,
    sweep_at INTEGER NOT NULL,
    is_quiet INTEGER NOT NULL DEFAULT 0
  ) STRICT;

  CREATE TABLE subscriptions (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    principal TEXT NOT NULL,
    subject TEXT,
    arguments TEXT NOT NULL,
    position INTEGER NOT NULL,
    lost INTEGER NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0,
    faults INTEGER NOT NULL DEFAULT 0,
    retry_at INTEGER,
    late_since INTEGER
  ) STRICT;
  CREATE INDEX subscriptions_by_principal ON subscriptions (principal);
  CREATE INDEX subscriptions_by_subject ON subscriptions (subject, principal);
  CREATE INDEX late_subscriptions ON subscriptions (retry_at) WHERE retry_at IS NOT NULL;

  CREATE TABLE listeners (
    key TEXT PRIMARY KEY,
    arguments TEXT NOT NULL,
    leased_until INTEGER NOT NULL,
    failures INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;`,
]

const OCCURRENCE = 'position, event_id, timestamp, data, subject, control, emitted_at'
const SUBSCRIPTION =
  'number, id, principal, subject, arguments, position, lost, failures, faults, retry_at, late_since'

type Progress = Pick<LogRow, 'handed' | 'batch_end' | 'batch_principal'>
type Late = Pick<
  SubscriptionRow,
  'number' | 'position' | 'lost' | 'failures' | 'faults' | 'retry_at' | 'late_since'
>

export type Statements = ReturnType<typeof createStatements>

export function createStatements(sql: SqlStorage) {
  const { all, first, value, run, insert, count } = createRows(sql)
  return {
    log: () =>
      first<LogRow>(
        `SELECT name, type, subject, handed, batch_end, batch_principal, sweep_at, is_quiet FROM log`,
      ),
    insertLog: (row: Pick<LogRow, 'name' | 'type' | 'subject' | 'sweep_at'>) =>
      insert('log', { id: 1, ...row }),
    saveProgress: ({ handed, batch_end, batch_principal }: Progress) =>
      run(
        'UPDATE log SET handed = ?, batch_end = ?, batch_principal = ?',
        handed,
        batch_end,
        batch_principal,
      ),
    saveSweep: (at: number, isQuiet: boolean) =>
      run('UPDATE log SET sweep_at = ?, is_quiet = ?', at, isQuiet ? 1 : 0),

    /** Returns the position. */
    insertOccurrence: (row: Omit<OccurrenceRow, 'position'>) => {
      insert('occurrences', row)
      return value<number>('SELECT last_insert_rowid()') ?? 0
    },
    /** Occurrences after a position in order, read one by one. */
    occurrencesAfter: (position: number) =>
      sql.exec<OccurrenceRow>(
        `SELECT ${OCCURRENCE} FROM occurrences WHERE position > ? ORDER BY position`,
        position,
      ),
    oldestPosition: () => value<number>('SELECT min(position) FROM occurrences'),
    /** The newest position, whether or not its row still exists; 0 before the first. */
    lastPosition: () =>
      value<number>("SELECT seq FROM sqlite_sequence WHERE name = 'occurrences'") ?? 0,
    /** The first position after another one whose occurrence was emitted at this time or later. */
    firstSince: (position: number, time: number) =>
      value<number>(
        `SELECT position FROM occurrences WHERE position > ? AND emitted_at >= ?
         ORDER BY position LIMIT 1`,
        position,
        time,
      ),
    emittedAt: (position: number) =>
      value<number>('SELECT emitted_at FROM occurrences WHERE position = ?', position),
    deleteUpTo: (position: number) => run('DELETE FROM occurrences WHERE position <= ?', position),

    positionOfEvent: (id: string, now: number) =>
      value<number>('SELECT position FROM event_ids WHERE id = ? AND due_at > ?', id, now),
    insertEventId: (id: string, position: number, dueAt: number) =>
      insert('event_ids', { id, position, due_at: dueAt }, 'INSERT OR REPLACE'),
    /** Without an index, which would cost every occurrence two more rows. */
    deleteEventIds: (now: number, upTo: number) =>
      run('DELETE FROM event_ids WHERE due_at <= ? OR position <= ?', now, upTo),
    earliestEventId: () => value<number>('SELECT min(due_at) FROM event_ids'),

    hasSubscriptions: () => value<number>('SELECT number FROM subscriptions LIMIT 1') !== undefined,
    subscription: (id: string) =>
      first<SubscriptionRow>(`SELECT ${SUBSCRIPTION} FROM subscriptions WHERE id = ?`, id),
    insertSubscription: (row: Omit<SubscriptionRow, 'number' | 'lost' | 'failures' | 'faults'>) =>
      insert('subscriptions', row, 'INSERT OR REPLACE'),
    deleteSubscription: (id: string) => run('DELETE FROM subscriptions WHERE id = ?', id),
    isRegistered: (number: number) => count('subscriptions WHERE number = ?', number) > 0,
    deleteRegistration: (number: number) =>
      run('DELETE FROM subscriptions WHERE number = ?', number),
    clearLost: (number: number) =>
      run('UPDATE subscriptions SET lost = 0 WHERE number = ?', number),
    /** Of the subscriptions on time that have not got everything up to a position. */
    setLost: (position: number) =>
      run('UPDATE subscriptions SET lost = 1 WHERE retry_at IS NULL AND position < ?', position),
    saveLate: ({ number, ...row }: Late) =>
      run(
        `UPDATE subscriptions SET position = ?, lost = ?, failures = ?, faults = ?, retry_at = ?,
         late_since = ? WHERE number = ?`,
        row.position,
        row.lost,
        row.failures,
        row.faults,
        row.retry_at,
        row.late_since,
        number,
      ),

    /** The subscriptions on time of the principals after one, by principal, read one by one. */
    subscriptionsAfter: (principal: string, limit: number) =>
      all<SubscriptionRow>(
        `SELECT ${SUBSCRIPTION} FROM subscriptions INDEXED BY subscriptions_by_principal
         WHERE principal IN (
           SELECT DISTINCT principal FROM subscriptions WHERE principal > ? AND retry_at IS NULL
           ORDER BY principal LIMIT ?
         ) AND retry_at IS NULL ORDER BY principal, number`,
        principal,
        limit,
      ),
    /** The same for some subjects alone. */
    subscriptionsOf: (subjects: readonly string[], principal: string, limit: number) =>
      all<SubscriptionRow>(
        `SELECT ${SUBSCRIPTION} FROM subscriptions
         WHERE subject IN (SELECT value FROM json_each(?1)) AND principal IN (
           SELECT DISTINCT principal FROM subscriptions
           WHERE subject IN (SELECT value FROM json_each(?1)) AND principal > ?2 AND retry_at IS NULL
           ORDER BY principal LIMIT ?3
         ) AND retry_at IS NULL ORDER BY principal, number`,
        JSON.stringify(subjects),
        principal,
        limit,
      ),
    dueSubscriptions: (now: number, limit: number) =>
      all<SubscriptionRow>(
        `SELECT ${SUBSCRIPTION} FROM subscriptions WHERE retry_at <= ? ORDER BY retry_at LIMIT ?`,
        now,
        limit,
      ),
    nextRetry: () => value<number>('SELECT min(retry_at) FROM subscriptions'),
    /** The lowest position of the subscriptions that are late since this time. */
    oldestNeed: (since: number) =>
      value<number>(
        'SELECT min(position) FROM subscriptions WHERE retry_at IS NOT NULL AND late_since > ?',
        since,
      ),

    listener: (key: string) =>
      first<ListenerRow>(
        'SELECT key, arguments, leased_until, failures FROM listeners WHERE key = ?',
        key,
      ),
    listeners: () =>
      all<ListenerRow>('SELECT key, arguments, leased_until, failures FROM listeners'),
    saveListener: ({ key, arguments: text, leased_until, failures }: ListenerRow) =>
      insert('listeners', { key, arguments: text, leased_until, failures }, 'INSERT OR REPLACE'),
    deleteListener: (key: string) => run('DELETE FROM listeners WHERE key = ?', key),
    nextLease: () => value<number>('SELECT min(leased_until) FROM listeners'),
    /** The listeners whose time is over and that no subscription needs. */
    unusedListeners: (now: number) =>
      all<ListenerRow>(
        `SELECT key, arguments, leased_until, failures FROM listeners
         WHERE leased_until <= ? AND arguments NOT IN (SELECT arguments FROM subscriptions)`,
        now,
      ),

    hasRows: () =>
      ['occurrences', 'event_ids', 'subscriptions', 'listeners'].some(
        (table) => count(`(SELECT 1 FROM ${table} LIMIT 1)`) > 0,
      ),
  }
}
