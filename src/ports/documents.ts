/** Documents that clients publish, kept for when their host is down. */

/** A document as it outlives an isolate. */
export interface StoredDocument {
  /** As it was fetched, parsed from JSON. */
  readonly value: unknown
  /** Epoch milliseconds, both. */
  readonly fetchedAt: number
  readonly freshUntil: number
}

/** Where documents outlive isolates, for a week at most. What it says is checked again. */
export interface DocumentStore {
  get(url: string): Promise<StoredDocument | undefined>
  put(url: string, document: StoredDocument): Promise<void>
  delete(url: string): Promise<void>
}
