/** The metadata documents and key sets of clients: a shard of them. */
import type { DocumentStore, StoredDocument } from '../../src/ports/documents.ts'
import { ObjectPart } from '../object-part.ts'
import { ExpiringStorage } from './account-storage.ts'
import {
  createDocumentStatements,
  type DocumentStatements,
  MIGRATIONS,
} from './documents-schema.ts'

/** Per object. Any caller can name a URL, so the number is bounded; the oldest are deleted first. */
const MAX_DOCUMENTS = 500

/** In UTF-16 code units. Longer documents are not stored. */
const MAX_DOCUMENT_LENGTH = 64 * 1024

const RETENTION_MS = 7 * 24 * 60 * 60 * 1000

/** Client metadata documents and key sets by URL are stored for a week, so that a client whose host is down can be served. */
function readDocument(
  { existing }: ExpiringStorage<DocumentStatements>,
  url: string,
): StoredDocument<string> | undefined {
  const row = existing?.document(url)
  if (row === undefined || Date.now() >= row.due_at) return undefined
  const { value, fetched_at: fetchedAt, fresh_until: freshUntil } = row
  return { value, fetchedAt, freshUntil }
}

function storeDocument(
  storage: ExpiringStorage<DocumentStatements>,
  url: string,
  { value, fetchedAt, freshUntil: fresh_until }: StoredDocument<string>,
): void {
  if (value.length > MAX_DOCUMENT_LENGTH) return
  const due_at = fetchedAt + RETENTION_MS
  storage.write((statements) => {
    statements.putDocument({ url, value, fetched_at: fetchedAt, fresh_until, due_at })
    statements.trimDocuments(MAX_DOCUMENTS)
  })
}

/** Documents are JSON text. */
export class DocumentsObject extends ObjectPart implements DocumentStore<string> {
  readonly #storage = new ExpiringStorage(this.ctx, MIGRATIONS, createDocumentStatements)

  async get(url: string) {
    return readDocument(this.#storage, url)
  }

  async put(url: string, document: StoredDocument<string>) {
    storeDocument(this.#storage, url, document)
  }

  async delete(url: string) {
    this.#storage.writeIfExists((statements) => statements.deleteDocument(url))
  }

  async alarm(): Promise<void> {
    await this.#storage.purge()
  }
}
