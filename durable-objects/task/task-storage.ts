/** The storage of a task. Its first row creates the tables; the end of its lifetime deletes everything. */
import type { TaskError, TaskRequest } from '../../src/ports/tasks.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { RunStorage } from '../run/run-storage.ts'
import { MIGRATIONS, TASK_RUN } from './schema.ts'
import { createStatements, type Statements } from './statements.ts'

/** The owner of an outcome that is stored in parts. */
const OUTCOME = 'outcome'

export class TaskStorage extends RunStorage<Statements> {
  protected override readonly owners = {
    request: () => 'request',
    entry: (_: string, key: string) => `journal ${key}`,
  }
  #request: TaskRequest | undefined

  constructor(storage: DurableObjectStorage) {
    super(storage, MIGRATIONS, createStatements, 'task')
  }

  /** When the task is deleted, in epoch milliseconds; infinite without a task. */
  get endsAt(): number {
    const row = this.existing?.task()
    return row === undefined ? Number.POSITIVE_INFINITY : row.created_at + row.ttl_ms
  }

  /** The request of the task. @throws {TypeError} without a row */
  readRequest(): TaskRequest {
    if (this.#request !== undefined) return this.#request
    const row = this.existing?.task()
    if (row === undefined) throw new TypeError('There is no task')
    this.#request = this.readRequestOf<TaskRequest>(TASK_RUN, row.request)
    return this.#request
  }

  /** Returns the text for the row. */
  writeOutcome(text: string): string | null {
    return this.replace(OUTCOME, text)
  }

  /** The result of a task that is completed, or the error of one that has failed. */
  readOutcome<Outcome extends JsonObject | TaskError>(outcome: string | null): Outcome {
    return JSON.parse(this.read(OUTCOME, outcome)) as Outcome
  }
}
