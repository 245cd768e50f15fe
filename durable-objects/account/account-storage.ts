/** The storage of an account object: its tables, and the one alarm that deletes expired rows. */
import { Tables } from '../tables.ts'
import { createStatements, MIGRATIONS, type Statements } from './schema.ts'

/** Expired rows are deleted in batches. Every read compares the expiry, so they have no effect before that. */
const PURGE_DELAY_MS = 60_000

export class AccountStorage {
  readonly #ctx: DurableObjectState
  readonly #tables: Tables<Statements>
  /** In memory, so that nothing has to be awaited between a write and its alarm. */
  #alarmAt: number | undefined

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx
    this.#tables = new Tables(ctx.storage, MIGRATIONS, createStatements)
    if (this.existing === undefined) return
    void ctx.blockConcurrencyWhile(async () => {
      this.#alarmAt = (await ctx.storage.getAlarm()) ?? undefined
    })
  }

  /** Undefined while the object has no tables. */
  get existing(): Statements | undefined {
    return this.#tables.existing
  }

  /** Writes in one transaction and schedules the alarm for the next expiry. */
  write<T>(work: (statements: Statements) => T): T {
    const { statements } = this.#tables
    const result = this.#ctx.storage.transactionSync(() => work(statements))
    this.#scheduleAlarm(statements.nextDue())
    return result
  }

  /** Like {@link write}, but does nothing while the object has no tables. */
  writeIfExists(work: (statements: Statements) => void): void {
    if (this.existing !== undefined) this.write(work)
  }

  /** Deletes expired rows, and all storage when no row is left. Called by the alarm. */
  async purge(): Promise<void> {
    this.#alarmAt = undefined
    this.writeIfExists((statements) => statements.deleteDue(Date.now()))
    await this.#ctx.blockConcurrencyWhile(async () => {
      if (this.existing === undefined || this.existing.nextDue() !== undefined) return
      this.#alarmAt = undefined
      await this.#tables.dropUnused()
    })
  }

  /** Moves the alarm to an earlier time only: an alarm that fires too early schedules the next one. */
  #scheduleAlarm(due: number | undefined): void {
    if (due === undefined) return
    const at = due + PURGE_DELAY_MS
    if (this.#alarmAt !== undefined && this.#alarmAt <= at) return
    this.#alarmAt = at
    void this.#ctx.storage.setAlarm(at)
  }
}
