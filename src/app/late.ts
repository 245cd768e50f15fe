/** A value that is known after what refers to it: features are created before the app that they read. */
export class Late<T> {
  readonly #name: string
  #value: { readonly known: T } | undefined

  constructor(name: string) {
    this.#name = name
  }

  /** @throws {TypeError} while it is unknown */
  get value(): T {
    if (this.#value === undefined) {
      throw new TypeError(`${this.#name} is known when the app is complete`)
    }
    return this.#value.known
  }

  set value(known: T) {
    this.#value = { known }
  }
}
