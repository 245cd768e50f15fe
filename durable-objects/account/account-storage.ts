/** The storage of an account: made by the first thing that must be kept, and gone with the last. */
import { isMigrated, migrate } from '../migrations.ts'
import { createStatements, MIGRATIONS, type Statements } from './schema.ts'

/** What is over is dropped in batches, and counts for nothing before that: every read looks at the time. */
const PURGE_DELAY_MS = 60_000

export class AccountStorage {
  readonly #ctx: DurableObjectState
  #statements: Statements | undefined
  /** In memory, so that nothing has to be awaited between a change and its alarm. */
  #alarmAt: number | undefined

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx
    if (!isMigrated(ctx.storage.sql)) return
    this.#open()
    void ctx.blockConcurrencyWhile(async () => {
      this.#alarmAt = (await ctx.storage.getAlarm()) ?? undefined
    })
  }

  /** Undefined where nothing is kept: reading makes no table. */
  get existing(): Statements | undefined {
    return this.#statements
  }

  /** One change, all of it or nothing, together with the alarm that ends it. */
  change<T>(work: (statements: Statements) => T): T {
    const statements = this.#statements ?? this.#open()
    const result = this.#ctx.storage.transactionSync(() => work(statements))
    this.#wakeFor(statements.nextDue())
    return result
  }

  /** The same, where there is something to change: undefined where nothing is kept. */
  changeExisting<T>(work: (statements: Statements) => T): T | undefined {
    return this.#statements === undefined ? undefined : this.change(work)
  }

  /** Drops what is over, and everything where nothing else is left. For the alarm. */
  async purge(): Promise<void> {
    this.#alarmAt = undefined
    if (this.#statements === undefined) return
    this.change((statements) => {
      statements.deleteDue(Date.now())
    })
    await this.#ctx.blockConcurrencyWhile(() => this.#dropIfEmpty())
  }

  async #dropIfEmpty(): Promise<void> {
    if (this.#statements?.nextDue() !== undefined) return
    this.#statements = undefined
    this.#alarmAt = undefined
    await this.#ctx.storage.deleteAll()
  }

  /** Moves the alarm forward, never back: one that comes early finds out itself. */
  #wakeFor(due: number | undefined): void {
    if (due === undefined) return
    const at = due + PURGE_DELAY_MS
    if (this.#alarmAt !== undefined && this.#alarmAt <= at) return
    this.#alarmAt = at
    void this.#ctx.storage.setAlarm(at)
  }

  #open(): Statements {
    migrate(this.#ctx.storage, MIGRATIONS)
    this.#statements = createStatements(this.#ctx.storage.sql)
    return this.#statements
  }
}
