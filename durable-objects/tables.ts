/** The SQL tables of an object: created by the first write, brought up to date by migrations. */

/**
 * The tables of one object.
 *
 * Reads must not create tables, because an object without tables is not billed for storage: they use
 * `existing`. Writes use `statements`.
 */
export class Tables<Statements> {
  readonly #storage: DurableObjectStorage
  readonly #migrations: readonly string[]
  readonly #createStatements: (sql: SqlStorage) => Statements
  #opened: Statements | undefined
  #searched = false

  /** @param migrations append-only: an existing object has applied the earlier ones */
  constructor(
    storage: DurableObjectStorage,
    migrations: readonly string[],
    createStatements: (sql: SqlStorage) => Statements,
  ) {
    this.#storage = storage
    this.#migrations = migrations
    this.#createStatements = createStatements
  }

  /** Undefined while the object has no tables. */
  get existing(): Statements | undefined {
    if (this.#opened === undefined && !this.#searched) {
      this.#searched = true
      if (isMigrated(this.#storage.sql)) return this.statements
    }
    return this.#opened
  }

  /** Creates or migrates the tables on first use. */
  get statements(): Statements {
    if (this.#opened === undefined) {
      migrate(this.#storage, this.#migrations)
      this.#opened = this.#createStatements(this.#storage.sql)
    }
    return this.#opened
  }

  /** Deletes the tables and everything else that the object has stored. */
  async drop(): Promise<void> {
    this.#opened = undefined
    this.#searched = true
    await this.#storage.deleteAll()
  }
}

/** Whether any migration was ever applied. Creates no table. */
function isMigrated(sql: SqlStorage): boolean {
  const found = sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migrations'")
  return found.toArray().length > 0
}

/** Applies the migrations that are not applied yet, in order. Costs one read when there are none. */
function migrate(storage: DurableObjectStorage, migrations: readonly string[]): void {
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
