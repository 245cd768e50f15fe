/** The storage of a session: made by the first thing that must be kept, and gone with the last. */
import { isMigrated, migrate } from '../migrations.ts'
import { MIGRATIONS } from './schema.ts'
import { createStatements, type Statements } from './statements.ts'

/** A row takes 2 MB at most; a part of this many UTF-16 code units takes 1.5 MB of UTF-8. */
const PART_LENGTH = 512 * 1024

export class SessionStorage {
  readonly #storage: DurableObjectStorage
  #statements: Statements | undefined

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
    if (isMigrated(storage.sql)) this.#open()
  }

  /** Undefined while nothing was ever written. */
  get existing(): Statements | undefined {
    return this.#statements
  }

  /** Makes the tables, if need be: for whoever is about to write. */
  get statements(): Statements {
    return this.#statements ?? this.#open()
  }

  /** All of it or nothing. */
  transaction<T>(work: () => T): T {
    return this.#storage.transactionSync(work)
  }

  /** What goes into the row itself; null where it is too long, and is kept in parts. */
  write(owner: string, text: string): string | null {
    if (text.length <= PART_LENGTH) return text
    for (let at = 0, part = 0; at < text.length; part++) {
      const end = endOfPart(text, at + PART_LENGTH)
      this.statements.insertPart(owner, part, text.slice(at, end))
      at = end
    }
    return null
  }

  read(owner: string, text: string | null): string {
    return text ?? this.statements.parts(owner).join('')
  }

  /** Drops everything but what `keep` writes, in one step that a kill cannot divide. */
  clear(keep: () => void): void {
    this.transaction(() => {
      this.statements.clear()
      keep()
    })
  }

  async drop(): Promise<void> {
    this.#statements = undefined
    await this.#storage.deleteAll()
  }

  #open(): Statements {
    migrate(this.#storage, MIGRATIONS)
    this.#statements = createStatements(this.#storage.sql)
    return this.#statements
  }
}

/** A surrogate pair must not be cut in two: neither half has a UTF-8 of its own. */
function endOfPart(text: string, end: number): number {
  const code = text.charCodeAt(end - 1)
  return code >= 0xd800 && code <= 0xdbff ? end - 1 : end
}
