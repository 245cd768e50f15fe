/** Documents that clients publish, kept for when their host is down. */

/** A document as it outlives an isolate. */
export interface StoredDocument<Value = unknown> {
  /** As it was fetched, parsed from JSON. */
  readonly value: Value
  /** Epoch milliseconds, both. */
  readonly fetchedAt: number
  readonly freshUntil: number
}

/** Where documents outlive isolates, for a week at most. What it says is checked again. */
export interface DocumentStore<Value = unknown> {
  get(url: string): Promise<StoredDocument<Value> | undefined>
  put(url: string, document: StoredDocument<Value>): Promise<void>
  delete(url: string): Promise<void>
}
