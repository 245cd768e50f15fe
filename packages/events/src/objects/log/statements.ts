/** The statements on the tables of `schema.ts`: functions, so that a bundle keeps none of their names. */
import { createRows, hasRows, type Rows } from '../../../../../src/internal.ts'
import type { ListenerRow, LogRow, OccurrenceRow, RegistrationRow } from './schema.ts'

export interface LogRows extends Rows {
  /** Occurrences after a position in order, read one by one. */
  readonly occurrencesAfter: (position: number) => Iterable<OccurrenceRow>
}

export function createLogRows(sql: SqlStorage): LogRows {
  return {
    ...createRows(sql),
    occurrencesAfter: (position) =>
      sql.exec<OccurrenceRow>(
        'SELECT * FROM occurrences WHERE position > ? ORDER BY position',
        position,
      ),
  }
}

export const logRow = (sql: Rows) => sql.first<LogRow>('SELECT * FROM log')

export const saveLog = (sql: Rows, columns: Partial<LogRow>) => sql.update('log', columns, 'TRUE')

/** Everything up to a position was handed over. */
export const saveHanded = (sql: Rows, handed: number) =>
  saveLog(sql, { handed, batch_end: null, batch_principal: null })

/** The newest position, whether or not its row still exists; 0 before the first. */
export const lastPosition = (sql: Rows) =>
  sql.value<number>("SELECT seq FROM sqlite_sequence WHERE name = 'occurrences'") ?? 0

/** The position before the oldest occurrence after `position` that was emitted at `time` or later. */
export const positionBefore = (sql: Rows, position = 0, time = 0) =>
  (sql.value<number>(
    `SELECT position FROM occurrences WHERE position > ? AND emitted_at >= ?
     ORDER BY position LIMIT 1`,
    position,
    time,
  ) ?? lastPosition(sql) + 1) - 1

export const deleteUpTo = (sql: Rows, position: number) =>
  sql.run('DELETE FROM occurrences WHERE position <= ?', position)

export const positionOfEvent = (sql: Rows, id: string, now: number) =>
  sql.value<number>('SELECT position FROM event_ids WHERE id = ? AND due_at > ?', id, now)

/** Without an index, which would cost every occurrence two more rows. */
export const deleteEventIds = (sql: Rows, now: number, upTo: number) =>
  sql.run('DELETE FROM event_ids WHERE due_at <= ? OR position <= ?', now, upTo)

/** When the oldest occurrence or event id expires; undefined without both. */
export const nextExpiry = (sql: Rows, keepMs: number) =>
  sql.value<number>(
    `SELECT min(at) FROM (SELECT min(due_at) AS at FROM event_ids UNION ALL
     SELECT * FROM (SELECT emitted_at + ? FROM occurrences ORDER BY position LIMIT 1))`,
    keepMs,
  )

export const hasRegistrations = (sql: Rows) => hasRows(sql, 'subscriptions')

export const registrationOf = (sql: Rows, id: string) =>
  sql.first<RegistrationRow>('SELECT * FROM subscriptions WHERE id = ?', id)

export const unregister = (sql: Rows, id: string) =>
  sql.run('DELETE FROM subscriptions WHERE id = ?', id)

export const deleteRegistration = (sql: Rows, number: number) =>
  sql.run('DELETE FROM subscriptions WHERE number = ?', number)

/** A registration that has begun anew has another number. */
export const isRegistered = (sql: Rows, number: number) =>
  sql.count('subscriptions WHERE number = ?', number) > 0

export const saveRegistration = (sql: Rows, number: number, columns: Partial<RegistrationRow>) =>
  sql.update('subscriptions', columns, 'number = ?', number)

/** Of the registrations on time that have not got everything up to a position. */
export const setLost = (sql: Rows, position: number) =>
  sql.update('subscriptions', { lost: 1 }, 'retry_at IS NULL AND position < ?', position)

/**
 * The registrations on time of the principals after one, by principal.
 *
 * @param subjects whose registrations; undefined: those of all
 */
export function registrationsAfter(
  sql: Rows,
  principal: string,
  limit: number,
  subjects: readonly string[] | undefined,
): RegistrationRow[] {
  const [index, isOf] =
    subjects === undefined
      ? ['INDEXED BY subscriptions_by_principal', '']
      : ['', 'subject IN (SELECT value FROM json_each(?3)) AND']
  const values = subjects === undefined ? [] : [JSON.stringify(subjects)]
  return sql.all<RegistrationRow>(
    `SELECT * FROM subscriptions ${index} WHERE ${isOf} principal IN (
       SELECT DISTINCT principal FROM subscriptions
       WHERE ${isOf} principal > ?1 AND retry_at IS NULL ORDER BY principal LIMIT ?2
     ) AND retry_at IS NULL ORDER BY principal, number`,
    principal,
    limit,
    ...values,
  )
}

export const dueRegistrations = (sql: Rows, now: number, limit: number) =>
  sql.all<RegistrationRow>(
    'SELECT * FROM subscriptions WHERE retry_at <= ? ORDER BY retry_at LIMIT ?',
    now,
    limit,
  )

export const nextRetry = (sql: Rows) => sql.value<number>('SELECT min(retry_at) FROM subscriptions')

/** The lowest position of the registrations that are late since this time. */
export const oldestNeed = (sql: Rows, since: number) =>
  sql.value<number>(
    'SELECT min(position) FROM subscriptions WHERE retry_at IS NOT NULL AND late_since > ?',
    since,
  )

export const listener = (sql: Rows, key: string) =>
  sql.first<ListenerRow>('SELECT * FROM listeners WHERE key = ?', key)

export const listeners = (sql: Rows) => sql.all<ListenerRow>('SELECT * FROM listeners')

/** The listeners whose time is over and that no registration needs. */
export const unusedListeners = (sql: Rows, now: number) =>
  sql.all<ListenerRow>(
    `SELECT * FROM listeners
     WHERE leased_until <= ? AND arguments NOT IN (SELECT arguments FROM subscriptions)`,
    now,
  )

export const saveListener = (sql: Rows, key: string, columns: Partial<ListenerRow>) =>
  sql.update('listeners', columns, 'key = ?', key)

/** Of the listeners whose time is over, all but some. */
export const extendListeners = (sql: Rows, now: number, until: number, but: readonly string[]) =>
  sql.update(
    'listeners',
    { leased_until: until, failures: 0 },
    'leased_until <= ? AND key NOT IN (SELECT value FROM json_each(?))',
    now,
    JSON.stringify(but),
  )

export const deleteListener = (sql: Rows, key: string) =>
  sql.run('DELETE FROM listeners WHERE key = ?', key)

export const nextLease = (sql: Rows) => sql.value<number>('SELECT min(leased_until) FROM listeners')

export const hasAnyRows = (sql: Rows) =>
  ['occurrences', 'event_ids', 'subscriptions', 'listeners'].some((table) => hasRows(sql, table))
