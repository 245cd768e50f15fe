/** The body of a chunked response while it comes: the bytes of a chunk that is not whole count too. */

export class ChunkedBody {
  #received = Buffer.alloc(0)
  #data = Buffer.alloc(0)
  /** Bytes that the current chunk still has; undefined where a size comes next. */
  #left: number | undefined
  #inBody = false
  #whole = false

  get data(): Buffer {
    return this.#data
  }

  /** Whether its last chunk has come. */
  get whole(): boolean {
    return this.#whole
  }

  push(bytes: Buffer): void {
    this.#received = Buffer.concat([this.#received, bytes])
    if (!this.#inBody) {
      const end = this.#received.indexOf('\r\n\r\n')
      if (end === -1) return
      const head = this.#received.toString('latin1', 0, end)
      if (!/^transfer-encoding: *chunked\r?$/im.test(head)) throw new Error(`Not chunked:\n${head}`)
      this.#inBody = true
      this.#received = this.#received.subarray(end + 4)
    }
    while (this.#step());
  }

  /** Takes what there is of one chunk; false where more must come first. */
  #step(): boolean {
    if (this.#whole) return false
    if (this.#left === undefined) {
      const end = this.#received.indexOf('\r\n')
      if (end === -1) return false
      this.#left = Number.parseInt(this.#received.toString('latin1', 0, end), 16)
      this.#received = this.#received.subarray(end + 2)
      this.#whole = this.#left === 0
      return true
    }
    const taken = this.#received.subarray(0, this.#left)
    this.#data = Buffer.concat([this.#data, taken])
    this.#left -= taken.length
    this.#received = this.#received.subarray(taken.length)
    // The line break after the data.
    if (this.#left > 0 || this.#received.length < 2) return false
    this.#received = this.#received.subarray(2)
    this.#left = undefined
    return true
  }
}
