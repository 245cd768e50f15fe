/** The members and items of one value that a schema has evaluated: `unevaluated…` applies to the others. */
export class Evaluated {
  readonly #members = new Set<string>()
  readonly #items = new Set<number>()

  addMember(key: string): void {
    this.#members.add(key)
  }

  hasMember(key: string): boolean {
    return this.#members.has(key)
  }

  addItem(at: number): void {
    this.#items.add(at)
  }

  hasItem(at: number): boolean {
    return this.#items.has(at)
  }

  add(other: Evaluated): void {
    for (const key of other.#members) this.#members.add(key)
    for (const at of other.#items) this.#items.add(at)
  }
}
