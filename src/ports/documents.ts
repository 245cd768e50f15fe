/** Stores the documents that clients publish: metadata documents and key sets. */

/** @typeParam Value the parsed document, or its JSON text between Worker and object */
export interface StoredDocument<Value = unknown> {
  /** As fetched. Validated again by every reader. */
  readonly value: Value
  /** Epoch milliseconds. */
  readonly fetchedAt: number
  /** Epoch milliseconds. */
  readonly freshUntil: number
}

/**
 * Documents by URL, shared by all isolates of a deployment. A document is deleted a week after it was
 * fetched. Documents above 65,536 UTF-16 code units of JSON are not stored.
 */
export interface DocumentStore<Value = unknown> {
  get(url: string): Promise<StoredDocument<Value> | undefined>
  put(url: string, document: StoredDocument<Value>): Promise<void>
  delete(url: string): Promise<void>
}
