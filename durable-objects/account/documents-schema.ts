/** The table of documents. */
import { createRows } from '../sql-rows.ts'
import { dueStatements, trimToNewest } from './due-rows.ts'

/** `value` is JSON text. */
export type DocumentRow = {
  url: string
  value: string
  fetched_at: number
  fresh_until: number
  due_at: number
}

/** Append-only: an existing object has applied the earlier ones. */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE documents (
    url TEXT PRIMARY KEY,
    value TEXT NOT NULL,
    fetched_at INTEGER NOT NULL,
    fresh_until INTEGER NOT NULL,
    due_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX documents_by_due ON documents (due_at);`,
]

export type DocumentStatements = ReturnType<typeof createDocumentStatements>

export function createDocumentStatements(sql: SqlStorage) {
  const { first, run, insert } = createRows(sql)
  return {
    document: (url: string) => first<DocumentRow>('SELECT * FROM documents WHERE url = ?', url),
    putDocument: (row: DocumentRow) => insert('documents', row, 'INSERT OR REPLACE'),
    deleteDocument: (url: string) => run('DELETE FROM documents WHERE url = ?', url),
    trimDocuments: (most: number) => trimToNewest(run, 'documents', most),
    ...dueStatements(sql, ['documents']),
  }
}
