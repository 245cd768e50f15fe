/** The storage of a task. Its first row creates the tables; the end of its lifetime deletes everything. */
import type { EntryKind, JournalEntry } from '../../src/dispatch/journal/journal.ts'
import type { TaskError, TaskRequest } from '../../src/ports/tasks.ts'
import type { JsonObject, JsonValue } from '../../src/protocol/json.ts'
import { ObjectStorage } from '../object-storage.ts'
import { entriesByKind } from '../run/journal-entries.ts'
import { type JournalRow, MIGRATIONS, type TaskRow } from './schema.ts'
import { createStatements, type Statements } from './statements.ts'

/** Owners of texts in parts. */
export const REQUEST = 'request'
export const OUTCOME = 'outcome'

const JOURNAL_KINDS = ['answer', 'step', 'refusal', 'wait', 'started', 'fresh'] as const

const entryOwner = (key: string) => `journal ${key}`

export class TaskStorage extends ObjectStorage<Statements> {
  #request: TaskRequest | undefined

  constructor(storage: DurableObjectStorage) {
    super(storage, MIGRATIONS, createStatements)
  }

  override transaction<T>(work: () => T): T {
    try {
      return super.transaction(work)
    } catch (error) {
      this.statements.forgetTask()
      throw error
    }
  }

  /** The request of the task. @throws {TypeError} without a row */
  readRequest(): TaskRequest {
    if (this.#request !== undefined) return this.#request
    const row = this.existing?.task()
    if (row === undefined) throw new TypeError('There is no task')
    this.#request = JSON.parse(this.read(REQUEST, row.request)) as TaskRequest
    return this.#request
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
    const text = this.replace(entryOwner(key), JSON.stringify(value))
    this.statements.writeEntry({ key, kind, value: text })
  }

  dropEntry(key: string): void {
    this.statements.deleteParts(entryOwner(key))
    this.statements.deleteEntry(key)
  }

  /** The value of an entry of the journal; undefined without one. */
  readEntry(key: string): JsonValue | undefined {
    const entry = this.existing?.entry(key)
    return entry && JSON.parse(this.read(entryOwner(key), entry.value))
  }

  /** The journal as JSON objects by kind. */
  readJournal(): Readonly<Record<EntryKind | 'fresh', JsonObject>> {
    return entriesByKind(this.statements.journal(), JOURNAL_KINDS, ({ key, value }) =>
      this.read(entryOwner(key), value),
    )
  }

  writeJournal(entries: Iterable<readonly [string, JournalEntry]>): void {
    for (const [key, { kind, value }] of entries) this.writeEntry(key, kind, value)
  }
}
