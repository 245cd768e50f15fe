/**
 * Bringing an object's tables up to date. A list of migrations is append-only: an object that exists
 * has run the earlier ones.
 */

/** Whether anything was ever migrated. Finding out makes no table. */
export function isMigrated(sql: SqlStorage): boolean {
  const found = sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migrations'")
  return found.toArray().length > 0
}

/** Applies, in order, those that were not applied yet. Costs one read when there are none. */
export function migrate(storage: DurableObjectStorage, migrations: readonly string[]): void {
  const { sql } = storage
  sql.exec('CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY) STRICT')
  const { version } = sql
    .exec<{ version: number }>('SELECT coalesce(max(version), 0) AS version FROM migrations')
    .one()
  for (const [index, migration] of migrations.entries()) {
    if (index < version) continue
    storage.transactionSync(() => {
      sql.exec(migration)
      sql.exec('INSERT INTO migrations (version) VALUES (?)', index + 1)
    })
  }
}
