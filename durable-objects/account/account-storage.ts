/** The storage of an account, or of a shard beside the accounts: its tables, and the one alarm that deletes expired rows. */
import { EarliestAlarm } from '../earliest-alarm.ts'
import { Tables } from '../tables.ts'
import type { DueStatements } from './due-rows.ts'
import type { Statements } from './schema.ts'

/** Expired rows are deleted in batches. Every read compares the expiry, so they have no effect before that. */
const PURGE_DELAY_MS = 60_000

export type AccountStorage = ExpiringStorage<Statements>

export class ExpiringStorage<Statements extends DueStatements> {
  readonly #ctx: DurableObjectState
  readonly #tables: Tables<Statements>
  readonly #alarm: EarliestAlarm

  constructor(
    ctx: DurableObjectState,
    migrations: readonly string[],
    createStatements: (sql: SqlStorage) => Statements,
  ) {
    this.#ctx = ctx
    this.#tables = new Tables(ctx.storage, migrations, createStatements)
    this.#alarm = new EarliestAlarm(ctx, this.existing !== undefined)
  }

  /** Undefined while the object has no tables. */
  get existing(): Statements | undefined {
    return this.#tables.existing
  }

  /** Writes in one transaction and schedules the alarm for the next expiry. */
  write<T>(work: (statements: Statements) => T): T {
    const result = this.#tables.transaction(() => work(this.#tables.statements))
    const due = this.#tables.statements.nextDue()
    if (due !== undefined) this.#alarm.wakeAt(due + PURGE_DELAY_MS)
    return result
  }

  /** Like {@link write}, but does nothing while the object has no tables. */
  writeIfExists(work: (statements: Statements) => void): void {
    if (this.existing !== undefined) this.write(work)
  }

  /** Deletes expired rows, and all storage when no row is left. Called by the alarm. */
  async purge(): Promise<void> {
    this.#alarm.reset()
    this.writeIfExists((statements) => statements.deleteDue(Date.now()))
    const isUnused = () => this.existing !== undefined && this.existing.nextDue() === undefined
    await this.#tables.dropIfUnused(this.#ctx, this.#alarm, isUnused)
  }
}
