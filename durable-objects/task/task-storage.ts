/** The storage of a task. Its first row creates the tables; the end of its lifetime deletes everything. */
import type { EntryKind, JournalEntry } from '../../src/dispatch/journal/journal.ts'
import type { TaskError, TaskRequest } from '../../src/ports/tasks.ts'
import type { JsonObject, JsonValue } from '../../src/protocol/json.ts'
import { Tables } from '../tables.ts'
import { readText, writeText } from '../text-parts.ts'
import { type JournalRow, MIGRATIONS, type TaskRow } from './schema.ts'
import { createStatements, type Statements } from './statements.ts'

/** Owners of texts in parts. */
export const REQUEST = 'request'
export const OUTCOME = 'outcome'

const entryOwner = (key: string) => `journal ${key}`

export class TaskStorage {
  readonly #storage: DurableObjectStorage
  readonly #tables: Tables<Statements>

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
    this.#tables = new Tables(storage, MIGRATIONS, createStatements)
  }

  /** Undefined before the task was created. */
  get existing(): Statements | undefined {
    return this.#tables.existing
  }

  get statements(): Statements {
    return this.#tables.statements
  }

  transaction<T>(work: () => T): T {
    return this.#storage.transactionSync(work)
  }

  /** Returns the text for the row; null after writing it in parts. */
  write(owner: string, text: string): string | null {
    this.statements.deleteParts(owner)
    return writeText(this.statements, owner, text)
  }

  read(owner: string, text: string | null): string {
    return readText(this.statements, owner, text)
  }

  /** The request of the task. @throws {TypeError} without a row */
  readRequest(): TaskRequest {
    const row = this.existing?.task()
    if (row === undefined) throw new TypeError('There is no task')
    return JSON.parse(this.read(REQUEST, row.request)) as TaskRequest
  }

  /** The result of a task that is completed. */
  readResult({ outcome }: TaskRow): JsonObject {
    return JSON.parse(this.read(OUTCOME, outcome)) as JsonObject
  }

  /** The error of a task that is failed. */
  readError({ outcome }: TaskRow): TaskError {
    return JSON.parse(this.read(OUTCOME, outcome)) as TaskError
  }

  writeEntry(key: string, kind: JournalRow['kind'], value: JsonValue): void {
    const text = this.write(entryOwner(key), JSON.stringify(value))
    this.statements.writeEntry({ key, kind, value: text })
  }

  dropEntry(key: string): void {
    this.statements.deleteParts(entryOwner(key))
    this.statements.deleteEntry(key)
  }

  /** The journal as JSON objects by kind. */
  readJournal(): Readonly<Record<EntryKind | 'fresh', JsonObject>> {
    const read = { answer: {}, step: {}, refusal: {}, wait: {}, started: {}, fresh: {} } as Record<
      JournalRow['kind'],
      Record<string, JsonValue>
    >
    for (const { key, kind, value } of this.statements.journal()) {
      // A kind of a newer version has no meaning here.
      if (Object.hasOwn(read, kind)) {
        read[kind][key] = JSON.parse(this.read(entryOwner(key), value))
      }
    }
    return read
  }

  writeJournal(entries: Iterable<readonly [string, JournalEntry]>): void {
    for (const [key, { kind, value }] of entries) this.writeEntry(key, kind, value)
  }

  async deleteAll(): Promise<void> {
    await this.#tables.drop()
  }
}
