/** The connection timeline of one server. */

import { EarliestAlarm, ObjectPart, Tables } from '../../../../../src/internal.ts'
import type { StoredStep, TimelineSettings } from './port.ts'
import { createStatements, MIGRATIONS } from './schema.ts'
import * as timeline from './steps.ts'

/** Expired rows are deleted in batches, by at most one alarm per minute. */
export const PURGE_DELAY_MS = 60_000

/**
 * Layout: one row per step. Lifetime: rows are deleted when they expire, and the storage is dropped with the last row.
 * Trade-off: the oldest rows give way to new ones, so a flood shortens the log.
 */
export class TimelineObject extends ObjectPart {
  readonly #tables = new Tables(this.ctx.storage, MIGRATIONS, createStatements)
  readonly #alarm = new EarliestAlarm(this.ctx, this.#tables.existing !== undefined)

  /** @param create whether to create the key of digests. A read creates no tables */
  async settings(create: boolean): Promise<TimelineSettings> {
    const statements = create ? this.#tables.statements : this.#tables.existing
    const found = statements && timeline.settings(statements, create)
    this.#schedule()
    return found ?? { key: undefined, until: 0 }
  }

  async append(steps: readonly StoredStep[]): Promise<void> {
    const { statements } = this.#tables
    this.ctx.storage.transactionSync(() => timeline.append(statements, steps, Date.now()))
    this.#schedule()
  }

  /** JSON of each step, in the order of their times. */
  async read(): Promise<string[]> {
    const rows = this.#tables.existing?.steps(Date.now()) ?? []
    return rows.map(({ entry }) => entry)
  }

  /** Records production until this time, in epoch milliseconds. 0 ends it. */
  async switchUntil(until: number): Promise<void> {
    timeline.switchUntil(this.#tables.statements, until)
    this.#schedule()
  }

  async alarm(): Promise<void> {
    this.#alarm.reset()
    timeline.purge(this.#tables.statements, Date.now())
    this.#schedule()
    const isUnused = () => this.#tables.statements.nextExpiry() === undefined
    await this.#tables.dropIfUnused(this.ctx, this.#alarm, isUnused)
  }

  #schedule(): void {
    const expiry = this.#tables.existing?.nextExpiry()
    if (expiry !== undefined) this.#alarm.wakeAt(expiry + PURGE_DELAY_MS)
  }
}
