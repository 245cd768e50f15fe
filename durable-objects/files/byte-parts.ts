/** Cuts the bytes of a file into parts of one size, so that one part is in memory at a time. */
import { joinBytes } from '../../src/platform/join-bytes.ts'
import type { FileBytes } from '../../src/ports/files.ts'

/**
 * Yields parts of `partBytes`, the last one shorter. Yields one empty part for no bytes.
 *
 * @throws `tooMany` beyond `maxBytes`, after cancelling the stream
 * @throws the error of the stream, and a `TypeError` for a chunk that is not bytes
 */
export async function* bytePartsOf(
  bytes: FileBytes,
  partBytes: number,
  maxBytes: number,
  tooMany: Error,
): AsyncGenerator<Uint8Array, void> {
  if (bytes instanceof Uint8Array) {
    if (bytes.byteLength > maxBytes) throw tooMany
    let start = 0
    do {
      yield bytes.subarray(start, start + partBytes)
      start += partBytes
    } while (start < bytes.byteLength)
    return
  }
  const reader = bytes.getReader()
  try {
    const part = new PartBuffer(partBytes)
    let total = 0
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      if (!(value instanceof Uint8Array)) throw new TypeError('A stream of a file must have bytes')
      total += value.byteLength
      if (total > maxBytes) throw tooMany
      yield* part.add(value)
    }
    if (part.length > 0 || total === 0) yield part.take()
  } finally {
    // Has no effect on a stream that has ended. Its sender decides when a cancellation completes.
    reader.cancel().catch(() => undefined)
  }
}

/** The chunks that do not fill a part yet. */
class PartBuffer {
  readonly #size: number
  #chunks: Uint8Array[] = []
  length = 0

  constructor(size: number) {
    this.#size = size
  }

  *add(bytes: Uint8Array): Generator<Uint8Array, void> {
    let rest = bytes
    while (this.length + rest.byteLength >= this.#size) {
      const missing = this.#size - this.length
      this.#push(rest.subarray(0, missing))
      rest = rest.subarray(missing)
      yield this.take()
    }
    if (rest.byteLength > 0) this.#push(rest)
  }

  take(): Uint8Array {
    const part = joinBytes(this.#chunks)
    this.#chunks = []
    this.length = 0
    return part
  }

  #push(chunk: Uint8Array): void {
    this.#chunks.push(chunk)
    this.length += chunk.byteLength
  }
}
