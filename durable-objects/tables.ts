/**
 * The SQL tables of an object: created by the first write, brought up to date by migrations. The number
 * of applied migrations is the version of the object's rows.
 */

/** Time to the next alarm of an object whose rows only a newer version can delete. */
export const NEWER_ALARM_MS = 24 * 60 * 60 * 1000

/**
 * The tables of one object.
 *
 * Reads must not create tables, because an object without tables is not billed for storage: they use
 * `existing`. Writes use `statements`.
 *
 * After a rollback, and during a gradual deployment, the rows may be newer than this code. It works on
 * them, because migrations only add tables, and columns with defaults, and statements name the columns
 * that they write.
 */
export class Tables<Statements> {
  readonly #storage: DurableObjectStorage
  readonly #migrations: readonly string[]
  readonly #createStatements: (sql: SqlStorage) => Statements
  #opened: Statements | undefined
  #searched = false
  #isNewer = false

  /** @param migrations append-only and additive: an existing object has applied the earlier ones */
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
      this.#isNewer = migrate(this.#storage, this.#migrations) > this.#migrations.length
      this.#opened = this.#createStatements(this.#storage.sql)
    }
    return this.#opened
  }

  /** Whether a newer version has written here. Known as soon as the tables are open. */
  get isNewer(): boolean {
    return this.#isNewer
  }

  /**
   * Drops tables that have no rows. Tables of a newer version may have rows that this code does not know:
   * then nothing is deleted, and an alarm gives the newer version another chance a day later.
   */
  async dropUnused(): Promise<void> {
    if (this.#isNewer) await this.#storage.setAlarm(Date.now() + NEWER_ALARM_MS)
    else await this.drop()
  }

  /** Deletes the tables and everything else that the object has stored, of newer versions too. */
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

/**
 * Applies the migrations that are not applied yet, in order. Costs one read when there are none. Returns
 * the number of migrations that were applied before.
 */
function migrate(storage: DurableObjectStorage, migrations: readonly string[]): number {
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
  return version
}
