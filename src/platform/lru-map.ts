/** A map of bounded size that evicts the least recently used entry. */
export class LruMap<V> implements Iterable<[string, V]> {
  readonly #capacity: number
  /** Least recently used first: a `Map` iterates in the order of insertion. */
  readonly #entries = new Map<string, V>()

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /** Returns the value of a key and marks the entry as used. */
  get(key: string): V | undefined {
    const value = this.#entries.get(key)
    if (value === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, value)
    return value
  }

  /** Returns the value of a key without marking the entry as used. */
  peek(key: string): V | undefined {
    return this.#entries.get(key)
  }

  set(key: string, value: V): void {
    this.#entries.delete(key)
    if (this.#entries.size >= this.#capacity) {
      const [leastRecentlyUsed] = this.#entries.keys()
      if (leastRecentlyUsed !== undefined) this.#entries.delete(leastRecentlyUsed)
    }
    this.#entries.set(key, value)
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }

  clear(): void {
    this.#entries.clear()
  }

  [Symbol.iterator](): MapIterator<[string, V]> {
    return this.#entries.entries()
  }
}
