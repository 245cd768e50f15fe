/** A value that components follow. */
import { useEffect, useState } from 'preact/hooks'

export class Store<T> {
  #value: T
  readonly #listeners = new Set<() => void>()

  constructor(value: T) {
    this.#value = value
  }

  get value(): T {
    return this.#value
  }

  set(value: T): void {
    if (value === this.#value) return
    this.#value = value
    for (const listener of this.#listeners) listener()
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

export function useStore<T>(store: Store<T>): T {
  const [value, setValue] = useState(store.value)
  useEffect(() => {
    const update = () => setValue(() => store.value)
    // The value may have changed since the component was rendered.
    update()
    return store.subscribe(update)
  }, [store])
  return value
}
