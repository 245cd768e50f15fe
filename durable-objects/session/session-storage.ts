/** The storage of a session. The first row creates the tables; with the last row everything is deleted. */
import { Tables } from '../tables.ts'
import { readText, writeText } from '../text-parts.ts'
import { MIGRATIONS } from './schema.ts'
import { createStatements, type Statements } from './statements.ts'

export class SessionStorage {
  readonly #storage: DurableObjectStorage
  readonly #tables: Tables<Statements>

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
    this.#tables = new Tables(storage, MIGRATIONS, createStatements)
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
    return this.#storage.transactionSync(work)
  }

  /** Returns the text for the row; null after writing a text that is too long for it in parts. */
  write(owner: string, text: string): string | null {
    return writeText(this.statements, owner, text)
  }

  read(owner: string, text: string | null): string {
    return readText(this.statements, owner, text)
  }

  /** Deletes all rows and writes those of `insert`, in one transaction. */
  replaceAll(insert: () => void): void {
    this.transaction(() => {
      this.statements.deleteAllRows()
      insert()
    })
  }

  /** Deletes the tables too, so that an object without rows has no storage. */
  async deleteAll(): Promise<void> {
    await this.#tables.drop()
  }
}
