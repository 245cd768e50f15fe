/** The tables of the object of a principal: row types, migrations and statements. Times are epoch milliseconds. */
import type { CallbackFault, EventProfile } from '../../../src/protocol/events.ts'
import { createRows } from '../../sql-rows.ts'

/** Reserved: its callback is not verified yet, or its log does not know it yet. */
export type SubscriptionState = 'reserved' | 'active' | 'suspended'

export type SubscriptionRow = {
  id: string
  /** Names the life of the row: another one for a subscription that begins anew. */
  registration: string
  type: string
  url: string
  /** Canonical JSON. */
  arguments: string
  /** Of the caller; null for anonymous callers. */
  subject: string | null
  /** Whether the log is that of the subject. */
  is_personal: number
  client_id: string | null
  /** The grant of its caller; null for a caller without one, and in a row of an earlier version. */
  grant_id: string | null
  profile: EventProfile
  state: SubscriptionState
  /** The call of `subscribe` that may activate the row: the latest one. */
  operation: string | null
  /** The end of a reservation. */
  operation_until: number | null
  /** Sealed. Null while the row was never active. */
  secret: string | null
  previous_secret: string | null
  previous_until: number | null
  /** A sealed record; null for an anonymous caller. */
  caller: string | null
  created_at: number
  /** Null: it does not expire. */
  expires_at: number | null
  /** The log of the last page; null before the first one. */
  log: string | null
  /** The position of `log` up to which everything was accepted. */
  accepted: number
  /** 1: events were lost since the last answer. */
  lost: number
  /** 1: a gap waits in the outbox. */
  gap: number
  /** JSON, see `decide-suspension.ts`. */
  outcomes: string
  last_delivery_at: number | null
  last_error: CallbackFault | null
  /** Since when no delivery has succeeded. */
  failed_since: number | null
}

/** Identifies a row of the outbox. */
export type OutboxKey = {
  registration: string
  log: string
  position: number
  /** The id of the message. */
  event_id: string
}

/** An event that waits for delivery, or a gap. */
export type OutboxRow = OutboxKey & {
  timestamp: string
  /** JSON. Null for a gap. */
  data: string | null
  /** Attempts that have failed. */
  attempts: number
  /** Attempts that have begun, those that were interrupted included. */
  begun: number
  next_at: number
}

/** A registration that the log must forget. */
export type UnregistrationRow = {
  registration: string
  type: string
  subject: string | null
  attempts: number
  next_at: number
}

/** Append-only: an existing object has applied the earlier ones. */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE subscriptions (
    id TEXT PRIMARY KEY,
    registration TEXT NOT NULL,
    type TEXT NOT NULL,
    url TEXT NOT NULL,
    arguments TEXT NOT NULL,
    subject TEXT,
    is_personal INTEGER NOT NULL,
    client_id TEXT,
    profile TEXT NOT NULL,
    state TEXT NOT NULL,
    operation TEXT,
    operation_until INTEGER,
    secret TEXT,
    previous_secret TEXT,
    previous_until INTEGER,
    caller TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    log TEXT,
    accepted INTEGER NOT NULL DEFAULT 0,
    lost INTEGER NOT NULL DEFAULT 0,
    gap INTEGER NOT NULL DEFAULT 0,
    outcomes TEXT NOT NULL DEFAULT '[]',
    last_delivery_at INTEGER,
    last_error TEXT,
    failed_since INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE outbox (
    registration TEXT NOT NULL,
    log TEXT NOT NULL,
    position INTEGER NOT NULL,
    event_id TEXT NOT NULL,
    timestamp TEXT NOT NULL,
    data TEXT,
    attempts INTEGER NOT NULL DEFAULT 0,
    begun INTEGER NOT NULL DEFAULT 0,
    next_at INTEGER NOT NULL,
    PRIMARY KEY (registration, log, position, event_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX outbox_due ON outbox (registration, next_at);
  CREATE TABLE unregistrations (
    registration TEXT PRIMARY KEY,
    type TEXT NOT NULL,
    subject TEXT,
    attempts INTEGER NOT NULL DEFAULT 0,
    next_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE marks (name TEXT PRIMARY KEY, until INTEGER NOT NULL) STRICT, WITHOUT ROWID;`,
  'ALTER TABLE subscriptions ADD COLUMN grant_id TEXT;',
]

const TABLES = ['subscriptions', 'outbox', 'unregistrations', 'marks']

/** What is remembered until a time. The names never change. */
export const Mark = {
  /** A subscription that has ended: unsubscribed again, it is not unknown. */
  ended: (id: string) => `ended ${id}`,
  /** A callback with its secret, as a digest. */
  verified: (digest: string) => `verified ${digest}`,
  /** A challenge that was sent, by a random name. */
  challenge: (name: string) => `challenge ${name}`,
} as const

/** Marks that have no effect any more are deleted together. */
const SWEEP_DELAY_MS = 60 * 60_000

/** Above this number, the marks that would be forgotten first are deleted. */
const MAX_MARKS = 2000

const IS_KEY = 'registration = ? AND log = ? AND position = ? AND event_id = ?'

const keyOf = ({ registration, log, position, event_id }: OutboxKey) =>
  [registration, log, position, event_id] as const

type Columns<Row> = Partial<Omit<Row, 'id' | 'registration'>>

export type Statements = ReturnType<typeof createStatements>

export function createStatements(sql: SqlStorage) {
  const { all, first, value, count, insert, run } = createRows(sql)

  const set = (table: string, columns: Columns<SubscriptionRow>, where: string, id: string) => {
    const names = Object.keys(columns).map((name) => `${name} = ?`)
    return run(
      `UPDATE ${table} SET ${names.join(', ')} WHERE ${where} = ?`,
      ...Object.values(columns),
      id,
    )
  }

  return {
    isEmpty: () => TABLES.every((table) => value(`SELECT 1 FROM ${table} LIMIT 1`) === undefined),

    /** When the next row is due, in any table. */
    nextDue: () => {
      // As columns, because the platform accepts five parts of a UNION.
      const times = first<Record<string, number | null>>(
        `SELECT (SELECT min(expires_at) FROM subscriptions) AS expiry,
          (SELECT min(previous_until) FROM subscriptions) AS overlap,
          (SELECT min(operation_until) FROM subscriptions WHERE state = 'reserved') AS reservation,
          (SELECT min(next_at) FROM unregistrations) AS unregistration,
          (SELECT min(until) + ${SWEEP_DELAY_MS} FROM marks) AS mark`,
      )
      const due = Object.values(times ?? {}).filter((at) => at !== null)
      return due.length === 0 ? undefined : Math.min(...due)
    },
    nextAttempt: () =>
      value<number>(
        `SELECT min((SELECT min(next_at) FROM outbox WHERE outbox.registration = s.registration))
         FROM subscriptions s WHERE state = 'active'`,
      ),
    subscriptions: () =>
      all<SubscriptionRow>('SELECT * FROM subscriptions ORDER BY created_at, id'),
    subscription: (id: string) =>
      first<SubscriptionRow>('SELECT * FROM subscriptions WHERE id = ?', id),
    registered: (registration: string) =>
      first<SubscriptionRow>('SELECT * FROM subscriptions WHERE registration = ?', registration),
    countSubscriptions: () => count('subscriptions'),
    insertSubscription: (row: Columns<SubscriptionRow> & { id: string; registration: string }) =>
      insert('subscriptions', row),
    saveSubscription: (registration: string, columns: Columns<SubscriptionRow>) =>
      set('subscriptions', columns, 'registration', registration),
    /** Those that have expired, and reservations whose call has not ended in time. */
    lapsed: (now: number) =>
      all<SubscriptionRow>(
        `SELECT * FROM subscriptions
         WHERE expires_at <= ? OR (state = 'reserved' AND operation_until <= ?)`,
        now,
        now,
      ),
    forgetSecrets: (now: number) =>
      run(
        `UPDATE subscriptions SET previous_secret = NULL, previous_until = NULL
         WHERE previous_until <= ?`,
        now,
      ),
    deleteSubscription: (registration: string) => {
      run('DELETE FROM subscriptions WHERE registration = ?', registration)
      run('DELETE FROM outbox WHERE registration = ?', registration)
    },
    deleteAll: () => {
      for (const table of TABLES) {
        if (table !== 'unregistrations') run(`DELETE FROM ${table}`)
      }
    },

    putMark: (name: string, until: number) => {
      insert('marks', { name, until }, 'INSERT OR REPLACE')
      run(
        `DELETE FROM marks
         WHERE until < (SELECT until FROM marks ORDER BY until DESC LIMIT 1 OFFSET ${MAX_MARKS - 1})`,
      )
    },
    hasMark: (name: string, now: number) =>
      count('marks WHERE name = ? AND until > ?', name, now) > 0,
    /** How many marks of a kind there are. */
    countMarks: (kind: string, now: number) =>
      count("marks WHERE name GLOB ? || '*' AND until > ?", kind, now),
    deleteMarks: (now: number) => run('DELETE FROM marks WHERE until <= ?', now),

    putUnregistration: (row: Omit<UnregistrationRow, 'attempts'>) =>
      insert('unregistrations', row, 'INSERT OR REPLACE'),
    dueUnregistrations: (now: number) =>
      all<UnregistrationRow>('SELECT * FROM unregistrations WHERE next_at <= ? LIMIT 100', now),
    saveUnregistration: (registration: string, attempts: number, next_at: number) =>
      run(
        'UPDATE unregistrations SET attempts = ?, next_at = ? WHERE registration = ?',
        attempts,
        next_at,
        registration,
      ),
    deleteUnregistration: (registration: string) =>
      run('DELETE FROM unregistrations WHERE registration = ?', registration),

    insertPending: (row: Omit<OutboxRow, 'attempts' | 'begun'>) =>
      insert('outbox', row, 'INSERT OR IGNORE'),
    countPending: (registration: string) => count('outbox WHERE registration = ?', registration),
    pending: (key: OutboxKey) =>
      first<OutboxRow>(`SELECT * FROM outbox WHERE ${IS_KEY}`, ...keyOf(key)),
    isPending: (key: OutboxKey) => count(`outbox WHERE ${IS_KEY}`, ...keyOf(key)) > 0,
    /** The position of the oldest row of a log, without the given one. */
    oldestPending: (registration: string, log: string, except?: OutboxKey) =>
      value<number>(
        `SELECT min(position) FROM outbox WHERE registration = ? AND log = ?
         AND NOT (position = ? AND event_id = ?)`,
        registration,
        log,
        except?.position ?? -1,
        except?.event_id ?? '',
      ),
    /** The subscriptions with a row that is due. */
    deliverable: (now: number) =>
      all<Pick<SubscriptionRow, 'registration' | 'url'>>(
        `SELECT registration, url FROM subscriptions s
         WHERE state = 'active' AND (expires_at IS NULL OR expires_at > ?)
         AND EXISTS (SELECT 1 FROM outbox o WHERE o.registration = s.registration AND o.next_at <= ?)`,
        now,
        now,
      ),
    /** Without their data. */
    duePending: (registration: string, now: number, limit: number) =>
      all<Omit<OutboxRow, 'data' | 'timestamp'>>(
        `SELECT registration, log, position, event_id, attempts, begun, next_at FROM outbox
         WHERE registration = ? AND next_at <= ? ORDER BY next_at LIMIT ?`,
        registration,
        now,
        limit,
      ),
    savePending: (
      key: OutboxKey,
      { attempts, begun, next_at }: Pick<OutboxRow, 'attempts' | 'begun' | 'next_at'>,
    ) =>
      run(
        `UPDATE outbox SET attempts = ?, begun = ?, next_at = ? WHERE ${IS_KEY}`,
        attempts,
        begun,
        next_at,
        ...keyOf(key),
      ),
    deletePending: (key: OutboxKey) => run(`DELETE FROM outbox WHERE ${IS_KEY}`, ...keyOf(key)),
    /** The oldest events, without gaps. */
    oldestEvents: (registration: string, limit: number) =>
      all<OutboxKey>(
        `SELECT registration, log, position, event_id FROM outbox
         WHERE registration = ? AND data IS NOT NULL ORDER BY log, position LIMIT ?`,
        registration,
        limit,
      ),
  }
}
