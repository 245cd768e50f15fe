/** A value that is known after what refers to it: features are created before the app that they read. */
export class Late<T> {
  #value: { readonly known: T } | undefined

  /** @throws {TypeError} while it is unknown */
  get value(): T {
    if (this.#value === undefined) throw new TypeError('The app is not complete')
    return this.#value.known
  }

  set value(known: T) {
    this.#value = { known }
  }
}
