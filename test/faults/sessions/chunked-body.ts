/** Decodes the body of a chunked response while it arrives, with the bytes of incomplete chunks. */

export class ChunkedBody {
  #received = Buffer.alloc(0)
  #data = Buffer.alloc(0)
  /** Missing bytes of the current chunk; undefined before the size of the next one. */
  #left: number | undefined
  #inBody = false
  #complete = false

  get data(): Buffer {
    return this.#data
  }

  /** Whether the last chunk has arrived. */
  get isComplete(): boolean {
    return this.#complete
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
    while (this.#decodeNext());
  }

  /** Decodes the next part of a chunk; false when more bytes must arrive first. */
  #decodeNext(): boolean {
    if (this.#complete) return false
    if (this.#left === undefined) {
      const end = this.#received.indexOf('\r\n')
      if (end === -1) return false
      this.#left = Number.parseInt(this.#received.toString('latin1', 0, end), 16)
      this.#received = this.#received.subarray(end + 2)
      this.#complete = this.#left === 0
      return true
    }
    const part = this.#received.subarray(0, this.#left)
    this.#data = Buffer.concat([this.#data, part])
    this.#left -= part.length
    this.#received = this.#received.subarray(part.length)
    // The line break after the data.
    if (this.#left > 0 || this.#received.length < 2) return false
    this.#received = this.#received.subarray(2)
    this.#left = undefined
    return true
  }
}
