/** What the inspector of one server shows. */

import { EarliestAlarm, ObjectPart, Tables } from '../../../../../src/internal.ts'
import { createStatements, MIGRATIONS } from '../log/schema.ts'
import { PURGE_DELAY_MS } from '../log/timeline-object.ts'
import type { StoredTraffic, TrafficLease, TrafficPage, TrafficRead } from './port.ts'
import { TrafficLog } from './traffic-log.ts'

/**
 * Layout: one row per entry. Lifetime: rows are deleted when they expire, and the storage is dropped with the last row.
 * Trade-off: the oldest rows give way to new ones, so a flood shortens the log.
 */
export class TrafficObject extends ObjectPart {
  readonly #tables = new Tables(this.ctx.storage, MIGRATIONS, createStatements)
  readonly #log = new TrafficLog(this.#tables)
  readonly #alarm = new EarliestAlarm(this.ctx, this.#tables.existing !== undefined)

  /** Until when production is recorded. A read creates no tables. */
  async lease(): Promise<TrafficLease> {
    return this.#log.lease()
  }

  async append(entries: readonly StoredTraffic[]): Promise<TrafficLease> {
    this.ctx.storage.transactionSync(() => this.#log.append(entries))
    this.#schedule()
    return this.#log.lease()
  }

  /** Waits for an entry. Undefined when too many streams read. */
  async read(request: TrafficRead): Promise<TrafficPage | undefined> {
    return this.#log.read(request)
  }

  /** @param watcher the name of a stream that is over */
  async leave(watcher: string): Promise<void> {
    this.#log.leave(watcher)
  }

  async alarm(): Promise<void> {
    this.#alarm.reset()
    const { statements } = this.#tables
    statements.deleteExpired(Date.now())
    this.#log.purged()
    this.#schedule()
    const isUnused = () => statements.nextExpiry() === undefined
    await this.#tables.dropIfUnused(this.ctx, this.#alarm, isUnused)
  }

  #schedule(): void {
    const expiry = this.#tables.existing?.nextExpiry()
    if (expiry !== undefined) this.#alarm.wakeAt(expiry + PURGE_DELAY_MS)
  }
}
