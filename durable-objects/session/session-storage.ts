/** The storage of a session. With the last row everything is deleted. */
import { RunStorage } from '../run/run-storage.ts'
import { MIGRATIONS } from './schema.ts'
import { createStatements, type Statements } from './statements.ts'

export class SessionStorage extends RunStorage<Statements> {
  protected override readonly owners = {
    request: (runId: string) => `run ${runId}`,
    entry: (runId: string, key: string) => `journal ${runId} ${key}`,
  }

  constructor(storage: DurableObjectStorage) {
    super(storage, MIGRATIONS, createStatements)
  }

  deleteRun(runId: string): void {
    this.deleteJournal(runId)
    this.statements.deleteParts(this.owners.request(runId))
    this.statements.deleteRun(runId)
  }

  /** Deletes all rows and writes those of `insert`, in one transaction. */
  replaceAll(insert: () => void): void {
    this.transaction(() => {
      this.statements.deleteAllRows()
      insert()
    })
  }
}
