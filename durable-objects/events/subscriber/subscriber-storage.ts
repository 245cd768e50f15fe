/** The storage of the object of a principal: its tables, and its one alarm. */
import { EarliestAlarm } from '../../earliest-alarm.ts'
import { createRows, type Rows, rowsOver } from '../../sql-rows.ts'
import { Tables } from '../../tables.ts'
import { MIGRATIONS } from './schema.ts'
import { isEmpty, nextDue } from './statements.ts'

export class SubscriberStorage {
  /** Without rows, and without effect, while the object has no tables: what is late must not create them. */
  readonly sql: Rows
  readonly alarm: EarliestAlarm
  readonly #state: DurableObjectState
  readonly #tables: Tables<Rows>

  constructor(state: DurableObjectState) {
    this.#state = state
    const tables = new Tables<Rows>(state.storage, MIGRATIONS, (sql) => createRows(sql))
    this.#tables = tables
    this.sql = rowsOver(
      (query, ...values) => tables.existing?.all(query, ...values) ?? [],
      (query, ...values) => tables.existing?.run(query, ...values) === true,
    )
    this.alarm = new EarliestAlarm(state, tables.existing !== undefined)
  }

  /** In bytes. */
  get size(): number {
    return this.#state.storage.sql.databaseSize
  }

  /** Creates the tables if they do not exist. */
  create(): void {
    void this.#tables.statements
  }

  /** Writes in one transaction, and sets the alarm for the next row that is due. */
  write<T>(work: () => T): T {
    const result = this.transaction(work)
    const due = nextDue(this.sql)
    if (due !== undefined) this.alarm.wakeAt(due)
    return result
  }

  /** Writes rows of the outbox, whose times `deliveries.ts` keeps. */
  transaction<T>(work: () => T): T {
    return this.#state.storage.transactionSync(work)
  }

  /** Deletes the tables when they have no rows: such an object has no storage. */
  async dropIfEmpty(): Promise<void> {
    const isUnused = () => this.#tables.existing !== undefined && isEmpty(this.sql)
    if (!isUnused()) return
    await this.#state.blockConcurrencyWhile(async () => {
      if (!isUnused()) return
      this.alarm.reset()
      await this.#tables.dropUnused()
    })
  }
}
