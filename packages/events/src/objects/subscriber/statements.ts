/** The statements on the tables of `schema.ts`: functions, so that a bundle keeps none of their names. */
import { hasRows, type Rows } from '../../../../../src/internal.ts'
import type {
  MarkKind,
  PendingEvent,
  PendingKey,
  SubscriptionRow,
  UnregistrationRow,
} from './schema.ts'

const TABLES = ['subscriptions', 'outbox', 'unregistrations', 'marks']

/** Marks that have no effect any more are deleted together. */
const SWEEP_DELAY_MS = 60 * 60_000

/** Above this number, the marks that would be forgotten first are deleted. */
const MAX_MARKS = 2000

/** Not those of challenges: they are counted, and a limit bounds them. */
const IS_REMEMBERED = "name NOT GLOB 'challenge *'"

const IS_KEY = 'registration = ? AND log = ? AND position = ? AND event_id = ?'

const keyOf = ({ registration, log, position, event_id }: PendingKey) =>
  [registration, log, position, event_id] as const

export const isEmpty = (sql: Rows) => !TABLES.some((table) => hasRows(sql, table))

/**
 * When the next row is due, in any table but the outbox.
 *
 * @param at when the object looks at subscriptions that do not expire
 */
export const nextDue = (sql: Rows, at: number) =>
  sql.value<number>(
    `SELECT min(at) FROM (SELECT min(max(
       iif(state = 'reserved', 0, coalesce(expires_at, ?)), coalesce(operation_until, 0)
     )) AS at FROM subscriptions
     UNION ALL SELECT min(previous_until) FROM subscriptions
     UNION ALL SELECT min(next_at) FROM unregistrations
     UNION ALL SELECT min(until) + ${SWEEP_DELAY_MS} FROM marks)`,
    at,
  )

export const nextAttempt = (sql: Rows) =>
  sql.value<number>(
    `SELECT min((SELECT min(next_at) FROM outbox WHERE outbox.registration = s.registration))
     FROM subscriptions s WHERE state = 'active'`,
  )

export const subscriptions = (sql: Rows) =>
  sql.all<SubscriptionRow>('SELECT * FROM subscriptions ORDER BY created_at, id')

export const subscriptionOf = (sql: Rows, id: string) =>
  sql.first<SubscriptionRow>('SELECT * FROM subscriptions WHERE id = ?', id)

/** The subscription whose present life has this name. */
export const subscriptionIn = (sql: Rows, registration: string) =>
  sql.first<SubscriptionRow>('SELECT * FROM subscriptions WHERE registration = ?', registration)

export const saveSubscription = (
  sql: Rows,
  registration: string,
  columns: Partial<SubscriptionRow>,
) => sql.update('subscriptions', columns, 'registration = ?', registration)

/** Those that have expired, and reservations, but for those whose call goes on: it may activate them. */
export const lapsed = (sql: Rows, now: number) =>
  sql.all<SubscriptionRow>(
    `SELECT * FROM subscriptions
     WHERE (state = 'reserved' OR expires_at <= ?1) AND coalesce(operation_until, 0) <= ?1`,
    now,
  )

export const forgetSecrets = (sql: Rows, now: number) =>
  sql.update(
    'subscriptions',
    { previous_secret: null, previous_until: null },
    'previous_until <= ?',
    now,
  )

export function deleteSubscription(sql: Rows, registration: string): void {
  for (const table of ['subscriptions', 'outbox']) {
    sql.run(`DELETE FROM ${table} WHERE registration = ?`, registration)
  }
}

export function deleteAll(sql: Rows): void {
  for (const table of TABLES) {
    if (table !== 'unregistrations') sql.run(`DELETE FROM ${table}`)
  }
}

export function putMark(sql: Rows, kind: MarkKind, key: string, until: number): void {
  sql.insert('marks', { name: `${kind} ${key}`, until }, 'INSERT OR REPLACE')
  sql.run(
    `DELETE FROM marks WHERE ${IS_REMEMBERED} AND until < (
       SELECT until FROM marks WHERE ${IS_REMEMBERED}
       ORDER BY until DESC LIMIT 1 OFFSET ${MAX_MARKS - 1})`,
  )
}

export const hasMark = (sql: Rows, kind: MarkKind, key: string, now: number) =>
  sql.count('marks WHERE name = ? AND until > ?', `${kind} ${key}`, now) > 0

export const countMarks = (sql: Rows, kind: MarkKind, now: number) =>
  sql.count('marks WHERE name GLOB ? AND until > ?', `${kind} *`, now)

export const deleteMarks = (sql: Rows, now: number) =>
  sql.run('DELETE FROM marks WHERE until <= ?', now)

export const dueUnregistrations = (sql: Rows, now: number) =>
  sql.all<UnregistrationRow>('SELECT * FROM unregistrations WHERE next_at <= ? LIMIT 100', now)

export const saveUnregistration = (
  sql: Rows,
  registration: string,
  columns: Partial<UnregistrationRow>,
) => sql.update('unregistrations', columns, 'registration = ?', registration)

export const deleteUnregistration = (sql: Rows, registration: string) =>
  sql.run('DELETE FROM unregistrations WHERE registration = ?', registration)

export const insertPending = (sql: Rows, row: Omit<PendingEvent, 'attempts' | 'begun'>) =>
  sql.insert('outbox', row, 'INSERT OR IGNORE')

export const countPending = (sql: Rows, registration: string) =>
  sql.count('outbox WHERE registration = ?', registration)

export const pendingOf = (sql: Rows, key: PendingKey) =>
  sql.first<PendingEvent>(`SELECT * FROM outbox WHERE ${IS_KEY}`, ...keyOf(key))

export const isPending = (sql: Rows, key: PendingKey) =>
  sql.count(`outbox WHERE ${IS_KEY}`, ...keyOf(key)) > 0

/** The position of the oldest row of a log, without the given one. */
export const oldestPending = (sql: Rows, registration: string, log: string, except?: PendingKey) =>
  sql.value<number>(
    `SELECT min(position) FROM outbox WHERE registration = ? AND log = ?
     AND NOT (position = ? AND event_id = ?)`,
    registration,
    log,
    except?.position ?? -1,
    except?.event_id ?? '',
  )

export type DueSubscription = Pick<SubscriptionRow, 'registration' | 'url' | 'last_error'>

/** The subscriptions with a row that is due. */
export const dueSubscriptions = (sql: Rows, now: number) =>
  sql.all<DueSubscription>(
    `SELECT registration, url, last_error FROM subscriptions s
     WHERE state = 'active' AND (expires_at IS NULL OR expires_at > ?1)
     AND EXISTS (SELECT 1 FROM outbox o WHERE o.registration = s.registration AND o.next_at <= ?1)`,
    now,
  )

/** Without their data. */
export const duePending = (sql: Rows, registration: string, now: number, limit: number) =>
  sql.all<Omit<PendingEvent, 'data' | 'timestamp'>>(
    `SELECT registration, log, position, event_id, attempts, begun FROM outbox
     WHERE registration = ? AND next_at <= ? ORDER BY next_at LIMIT ?`,
    registration,
    now,
    limit,
  )

export const savePending = (
  sql: Rows,
  key: PendingKey,
  columns: Pick<PendingEvent, 'attempts' | 'begun' | 'next_at'>,
) => sql.update('outbox', columns, IS_KEY, ...keyOf(key))

export const deletePending = (sql: Rows, key: PendingKey) =>
  sql.run(`DELETE FROM outbox WHERE ${IS_KEY}`, ...keyOf(key))

/** The oldest events, without gaps. */
export const oldestEvents = (sql: Rows, registration: string, limit: number) =>
  sql.all<PendingKey>(
    `SELECT registration, log, position, event_id FROM outbox
     WHERE registration = ? AND data IS NOT NULL ORDER BY log, position LIMIT ?`,
    registration,
    limit,
  )
