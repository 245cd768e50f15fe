/**
 * The SQL tables of an object: created by the first write, brought up to date by migrations. The number
 * of applied migrations is the version of the object's rows.
 */

/** Time to the next alarm of an object whose rows only a newer version can delete. */
export const NEWER_ALARM_MS = 24 * 60 * 60 * 1000

/** @param isNew whether the object had no tables before its first migration */
export type CreateStatements<Statements> = (sql: SqlStorage, isNew: boolean) => Statements

/** The statements on tables that the first write creates: `existing` is undefined before. */
export type LazyStatements<Statements> = Pick<Tables<Statements>, 'existing' | 'statements'>

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
  readonly #createStatements: CreateStatements<Statements>
  readonly #first: string | undefined
  #opened: Statements | undefined
  /** The version of the rows as it was read, before this code migrates them; undefined before. */
  #found: { readonly version: number | undefined } | undefined
  #isNewer = false

  /**
   * @param migrations append-only and additive: an existing object has applied the earlier ones
   * @param first the table that the first migration creates, where that one creates the present tables alone and a
   *   new object needs no other. Undefined: a new object applies all.
   */
  constructor(
    storage: DurableObjectStorage,
    migrations: readonly string[],
    createStatements: CreateStatements<Statements>,
    first?: string,
  ) {
    this.#storage = storage
    this.#migrations = migrations
    this.#createStatements = createStatements
    this.#first = first
  }

  /** Undefined while the object has no tables. */
  get existing(): Statements | undefined {
    if (this.#opened === undefined && this.#version() !== undefined) return this.statements
    return this.#opened
  }

  /** Creates or migrates the tables on first use. */
  get statements(): Statements {
    if (this.#opened === undefined) {
      const version = this.#version()
      this.#migrate(version)
      this.#isNewer = (version ?? 0) > this.#migrations.length
      this.#opened = this.#createStatements(this.#storage.sql, version === undefined)
    }
    return this.#opened
  }

  /** Read once, because nothing else creates the tables. */
  #version(): number | undefined {
    this.#found ??= { version: versionOf(this.#storage.sql, this.#first) }
    return this.#found.version
  }

  /** Applies the migrations that are not applied yet, in one transaction. */
  #migrate(version: number | undefined): void {
    const { sql } = this.#storage
    const present = this.#migrations.length
    if (version === undefined && this.#first !== undefined) {
      sql.exec(`${this.#migrations[0]} /* version ${present} */`)
    } else if ((version ?? 0) < present) {
      this.#storage.transactionSync(() => {
        sql.exec('CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY) STRICT')
        for (const migration of this.#migrations.slice(version ?? 0)) sql.exec(migration)
        sql.exec('INSERT INTO migrations (version) VALUES (?)', present)
      })
    }
  }

  /** Whether a newer version has written here. Known as soon as the tables are open. */
  get isNewer(): boolean {
    return this.#isNewer
  }

  transaction<T>(work: () => T): T {
    try {
      return this.#storage.transactionSync(work)
    } catch (error) {
      // Tables that it created are gone, and rows that were read in it.
      this.#opened = undefined
      this.#found = undefined
      throw error
    }
  }

  /**
   * Drops tables that have no rows. No other call of the object runs meanwhile. Tables of a newer version may have
   * rows that this code does not know: then nothing is deleted, and an alarm gives the newer version another chance a
   * day later.
   */
  dropIfUnused(
    state: Pick<DurableObjectState, 'blockConcurrencyWhile'>,
    alarm: { reset(): void },
    isUnused: () => boolean,
  ): Promise<void> {
    return state.blockConcurrencyWhile(async () => {
      if (!isUnused()) return
      alarm.reset()
      if (this.#isNewer) await this.#storage.setAlarm(Date.now() + NEWER_ALARM_MS)
      else await this.drop()
    })
  }

  /** Deletes the tables and everything else that the object has stored, of newer versions too. */
  async drop(): Promise<void> {
    this.#opened = undefined
    this.#found = { version: undefined }
    await this.#storage.deleteAll()
  }
}

/** In the text of a table that begins a new object. */
const VERSION = /\/\* version (\d+) \*\//

/**
 * The version of the rows: the highest number in the table `migrations`. An object that began with the present tables
 * has none before its first migration; its version is in the text of its first table. Undefined without tables.
 */
function versionOf(sql: SqlStorage, first = 'migrations'): number | undefined {
  const query = "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name IN (?, ?)"
  const found = sql.exec<{ name: string; sql: string }>(query, 'migrations', first).toArray()
  if (found.some(({ name }) => name === 'migrations')) {
    const highest = 'SELECT coalesce(max(version), 0) AS version FROM migrations'
    return sql.exec<{ version: number }>(highest).one().version
  }
  const text = found[0]?.sql
  return text === undefined ? undefined : Number(VERSION.exec(text)?.[1])
}
