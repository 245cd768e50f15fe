/** Counts the open sockets of an object, by tag. */

/** Number of tags whose count is cached; above it, all are counted again. */
const MAX_CACHED_COUNTS = 10_000

export class SocketCounts {
  readonly #ctx: DurableObjectState
  /**
   * Upper bounds of the number of open sockets, by tag, and by undefined for all. Counting creates a
   * list of the sockets, so it happens when a tag is new or its bound reaches a limit, not for every
   * listener.
   */
  readonly #maxOpen = new Map<string | undefined, number>()

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx
  }

  /** The number of open sockets with a tag: exact when it is `limit` or more, an upper bound below. */
  count(tag: string | undefined, limit: number): number {
    const known = this.#maxOpen.get(tag)
    if (known !== undefined && known < limit) return known
    if (this.#maxOpen.size > MAX_CACHED_COUNTS) this.#maxOpen.clear()
    const open = this.#ctx.getWebSockets(tag).length
    this.#maxOpen.set(tag, open)
    return open
  }

  /** A socket with this tag was accepted. */
  add(tag: string): void {
    for (const each of [undefined, tag]) {
      const known = this.#maxOpen.get(each)
      if (known !== undefined) this.#maxOpen.set(each, known + 1)
    }
  }
}
