/** The names that can be redeemed once, until they expire: a shard of them. */
import { EarliestAlarm } from '../earliest-alarm.ts'
import { ObjectPart } from '../object-part.ts'
import { createRows } from '../sql-rows.ts'
import { Tables } from '../tables.ts'

/** Expired names are deleted in batches, by at most one alarm per minute and shard. */
const PURGE_DELAY_MS = 60_000

/** Append-only: an existing object has applied the earlier ones. */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE redeemed_names (
    name TEXT PRIMARY KEY,
    expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX redeemed_names_by_expiry ON redeemed_names (expires_at);`,
]

function createStatements(sql: SqlStorage) {
  const { count, value, run, insert } = createRows(sql)
  return {
    /** False when the name is there already. */
    insertName: (name: string, expires_at: number) =>
      insert('redeemed_names', { name, expires_at }, 'INSERT OR IGNORE'),
    hasName: (name: string) => count('redeemed_names WHERE name = ?', name) > 0,
    deleteExpired: (now: number) => run('DELETE FROM redeemed_names WHERE expires_at <= ?', now),
    nextExpiry: () => value<number>('SELECT min(expires_at) FROM redeemed_names'),
  }
}

/**
 * Layout: one row per name. Lifetime: a name is deleted after it expires, and the storage is dropped with the last one,
 * so an unused shard costs nothing.
 */
export class RedeemedObject extends ObjectPart {
  readonly #tables = new Tables(this.ctx.storage, MIGRATIONS, createStatements)
  readonly #alarm = new EarliestAlarm(this.ctx, this.#tables.existing !== undefined)

  /** True once per name, before it expires. */
  async redeem(name: string, expiresAt: number): Promise<boolean> {
    // This object's clock decides, because the same clock deletes the name.
    if (Date.now() >= expiresAt) return false
    const first = this.#tables.statements.insertName(name, expiresAt)
    if (first) this.#alarm.wakeAt(expiresAt + PURGE_DELAY_MS)
    return first
  }

  /** Whether a name was redeemed. Creates no tables. */
  isRedeemed(name: string): boolean {
    return this.#tables.existing?.hasName(name) === true
  }

  async alarm(): Promise<void> {
    this.#alarm.reset()
    const { statements } = this.#tables
    statements.deleteExpired(Date.now())
    const next = statements.nextExpiry()
    if (next !== undefined) this.#alarm.wakeAt(next + PURGE_DELAY_MS)
    const isUnused = () => statements.nextExpiry() === undefined
    await this.#tables.dropIfUnused(this.ctx, this.#alarm, isUnused)
  }
}
