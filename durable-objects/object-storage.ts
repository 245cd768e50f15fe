/** The storage of an object with SQL rows. Its first row creates the tables. */
import { Tables } from './tables.ts'
import { type PartStatements, readText, writeText } from './text-parts.ts'

export class ObjectStorage<Statements extends PartStatements> {
  readonly #storage: DurableObjectStorage
  readonly #tables: Tables<Statements>

  /** The parameters are those of `Tables`. */
  constructor(
    storage: DurableObjectStorage,
    migrations: readonly string[],
    createStatements: (sql: SqlStorage) => Statements,
    first?: string,
  ) {
    this.#storage = storage
    this.#tables = new Tables(storage, migrations, createStatements, first)
  }

  /** Undefined before anything was written. */
  get existing(): Statements | undefined {
    return this.#tables.existing
  }

  /** Whether a newer version has written rows, which this code may not know. */
  get isNewer(): boolean {
    return this.#tables.isNewer
  }

  /** Creates the tables if they do not exist. */
  get statements(): Statements {
    return this.#tables.statements
  }

  transaction<T>(work: () => T): T {
    try {
      return this.#storage.transactionSync(work)
    } catch (error) {
      this.#tables.reopen()
      throw error
    }
  }

  /** Returns the text for the row; null after writing a text that is too long for it in parts. */
  write(owner: string, text: string): string | null {
    return writeText(this.statements, owner, text)
  }

  /** The same for an owner that may have had a text with more parts. */
  replace(owner: string, text: string): string | null {
    this.statements.deleteParts(owner)
    return this.write(owner, text)
  }

  read(owner: string, text: string | null): string {
    return readText(this.statements, owner, text)
  }

  /** Deletes the tables too, so that an object without rows has no storage. */
  async deleteAll(): Promise<void> {
    await this.#tables.drop()
  }
}
