/** The state Durable Object: the entries of one principal, or of the anonymous callers of one network. */
import { DurableObject } from '#runtime'
import type { EntryWrite, EntryWritten } from '../../src/ports/state-store.ts'
import { Tables } from '../tables.ts'
import { Entries } from './entries.ts'
import { createEntryStatements, MIGRATIONS } from './schema.ts'

/** Expired entries are deleted in batches, by at most one alarm per minute. */
const PURGE_DELAY_MS = 60_000

/**
 * The entries of one owner.
 *
 * Layout: one row per entry. Lifetime: the first write creates the table, an alarm deletes what has
 * expired, and with the last row the storage is dropped. Trade-off: one object per principal counts its
 * entries without asking another one; in return its operations are one after the other.
 */
export class McpState extends DurableObject {
  readonly #tables = new Tables(this.ctx.storage, MIGRATIONS, createEntryStatements)
  readonly #entries = new Entries(this.#tables)

  async read(name: string): Promise<string | undefined> {
    return this.#entries.read(name)
  }

  async write(name: string, write: EntryWrite): Promise<EntryWritten> {
    const written = this.#entries.write(name, write)
    if (written === 'written') await this.#schedule()
    return written
  }

  async delete(name: string, operation: string): Promise<boolean> {
    const deleted = this.#entries.delete(name, operation)
    if (deleted) await this.#schedule()
    return deleted
  }

  override async alarm(): Promise<void> {
    this.#tables.existing?.deleteExpired(Date.now())
    await this.#schedule()
    await this.ctx.blockConcurrencyWhile(async () => {
      if (this.#tables.existing?.countRows() === 0) await this.#tables.dropUnused()
    })
  }

  async #schedule(): Promise<void> {
    const expiry = this.#tables.existing?.nextExpiry()
    if (expiry === undefined) return
    const scheduled = await this.ctx.storage.getAlarm()
    const due = expiry + PURGE_DELAY_MS
    if (scheduled === null || due < scheduled) await this.ctx.storage.setAlarm(due)
  }
}
