/** The storage of a session. With the last row everything is deleted. */
import { ObjectStorage } from '../object-storage.ts'
import { MIGRATIONS } from './schema.ts'
import { createStatements, type Statements } from './statements.ts'

export class SessionStorage extends ObjectStorage<Statements> {
  constructor(storage: DurableObjectStorage) {
    super(storage, MIGRATIONS, createStatements)
  }

  /** Deletes all rows and writes those of `insert`, in one transaction. */
  replaceAll(insert: () => void): void {
    this.transaction(() => {
      this.statements.deleteAllRows()
      insert()
    })
  }
}
