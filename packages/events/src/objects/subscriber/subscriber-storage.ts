/** The storage of the object of a principal: its tables, and its one alarm. */
import { createRows, type Rows, rowsOver } from '../../../../../src/internal.ts'
import { createEventStorage, type EventStorage } from '../event-storage.ts'
import { MIGRATIONS } from './schema.ts'
import { isEmpty, nextDue } from './statements.ts'

/** How often an object with subscriptions that do not expire examines whether their types exist. */
const EXAMINE_MS = 24 * 60 * 60_000

export interface SubscriberStorage extends EventStorage<Rows> {
  /** Without rows, and without effect, while the object has no tables: what is late must not create them. */
  readonly sql: Rows
}

export function createSubscriberStorage(state: DurableObjectState): SubscriberStorage {
  const storage = createEventStorage(state, MIGRATIONS, (sql) => createRows(sql))
  const { tables } = storage
  const sql = rowsOver(
    (query, ...values) => tables.existing?.all(query, ...values) ?? [],
    (query, ...values) => tables.existing?.run(query, ...values) === true,
  )
  return { ...storage, sql }
}

/** Creates the tables if they do not exist. */
export function createTables({ tables }: SubscriberStorage): void {
  void tables.statements
}

/** Writes in one transaction, and sets the alarm for the next row that is due, but for the outbox: see `deliveries.ts`. */
export function write<T>(storage: SubscriberStorage, work: () => T): T {
  const result = storage.tables.transaction(work)
  const due = nextDue(storage.sql, Date.now() + EXAMINE_MS)
  if (due !== undefined) storage.alarm.wakeAt(due)
  return result
}

/** Deletes the tables when they have no rows: such an object has no storage. */
export async function dropIfEmpty({ state, tables, sql, alarm }: SubscriberStorage): Promise<void> {
  const isUnused = () => tables.existing !== undefined && isEmpty(sql)
  if (isUnused()) await tables.dropIfUnused(state, alarm, isUnused)
}
