/** The storage of the object of a principal: its tables, and its one alarm. */
import { EarliestAlarm } from '../../earliest-alarm.ts'
import { Tables } from '../../tables.ts'
import { MIGRATIONS } from './schema.ts'
import { createStatements, type Statements } from './statements.ts'

export class SubscriberStorage {
  readonly alarm: EarliestAlarm
  readonly #state: DurableObjectState
  readonly #tables: Tables<Statements>

  constructor(state: DurableObjectState) {
    this.#state = state
    this.#tables = new Tables(state.storage, MIGRATIONS, createStatements)
    this.alarm = new EarliestAlarm(state, this.existing !== undefined)
  }

  /** Undefined while the object has no tables. */
  get existing(): Statements | undefined {
    return this.#tables.existing
  }

  /** Writes in one transaction, and sets the alarm for the next row that is due. Creates the tables if they do not exist. */
  write<T>(work: (statements: Statements) => T): T {
    const { statements } = this.#tables
    const result = this.#state.storage.transactionSync(() => work(statements))
    const due = statements.nextDue()
    if (due !== undefined) this.alarm.wakeAt(due)
    return result
  }

  /** Like {@link write}, but does nothing while the object has no tables: what is late must not create them. */
  update(work: (statements: Statements) => void): void {
    if (this.existing !== undefined) this.write(work)
  }

  /** Like {@link update}, for rows of the outbox, whose times `deliveries.ts` keeps. */
  touch(work: (statements: Statements) => void): void {
    const { existing } = this
    if (existing !== undefined) this.#state.storage.transactionSync(() => work(existing))
  }

  /** Deletes the tables when they have no rows: such an object has no storage. */
  async dropIfEmpty(): Promise<void> {
    if (this.existing?.isEmpty() !== true) return
    await this.#state.blockConcurrencyWhile(async () => {
      if (this.existing?.isEmpty() !== true) return
      this.alarm.reset()
      await this.#tables.dropUnused()
    })
  }
}
