/** Documents of clients by their URLs: one that is down is gone by for a week. */

import type { DocumentText } from './account-rpc.ts'
import type { AccountStorage } from './account-storage.ts'

/** Of one object; the oldest go first: anybody may name a document. */
const MAX_DOCUMENTS = 500
const MAX_LENGTH = 64 * 1024

const KEPT_MS = 7 * 24 * 60 * 60 * 1000

export class Documents {
  readonly #storage: AccountStorage

  constructor(storage: AccountStorage) {
    this.#storage = storage
  }

  get(url: string): DocumentText | undefined {
    const row = this.#storage.existing?.document(url)
    if (row === undefined || Date.now() >= row.due_at) return undefined
    const { value, fetched_at: fetchedAt, fresh_until: freshUntil } = row
    return { value, fetchedAt, freshUntil }
  }

  put(url: string, { value, fetchedAt, freshUntil }: DocumentText): void {
    if (value.length > MAX_LENGTH) return
    this.#storage.change((statements) => {
      statements.deleteDocument(url)
      statements.insertDocument({
        url,
        value,
        fetched_at: fetchedAt,
        fresh_until: freshUntil,
        due_at: fetchedAt + KEPT_MS,
      })
      statements.trimDocuments(MAX_DOCUMENTS)
    })
  }

  delete(url: string): void {
    this.#storage.changeExisting((statements) => statements.deleteDocument(url))
  }
}
