/** Finds the end of HTTP/1.1 responses. Parses nothing else, to keep the load generator cheap. */

const HEAD_END = '\r\n\r\n'
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i
const CHUNKED = /\r\ntransfer-encoding: *chunked/i

/**
 * Frames the responses of a keep-alive connection without pipelining. Body bytes are counted and
 * not stored.
 */
export class ResponseFraming {
  /** Status of the last response whose head was read. */
  status = 0
  #head: Buffer | undefined
  #body: BodyFraming | undefined

  /**
   * Returns true when the received bytes complete the response.
   *
   * @throws {Error} when the response declares no length
   */
  push(bytes: Buffer): boolean {
    let rest = bytes
    if (this.#body === undefined) {
      const head = this.#head === undefined ? bytes : Buffer.concat([this.#head, bytes])
      const end = head.indexOf(HEAD_END)
      if (end === -1) {
        this.#head = head
        return false
      }
      this.#head = undefined
      const text = head.toString('latin1', 0, end)
      this.status = Number(text.slice(9, 12))
      this.#body = bodyFraming(text)
      rest = head.subarray(end + HEAD_END.length)
    }
    const complete = this.#body.push(rest)
    if (complete) this.#body = undefined
    return complete
  }
}

interface BodyFraming {
  /** Returns true when the body is complete. */
  push(bytes: Buffer): boolean
}

function bodyFraming(head: string): BodyFraming {
  const length = CONTENT_LENGTH.exec(head)?.[1]
  if (length !== undefined) return new LengthFraming(Number(length))
  if (CHUNKED.test(head)) return new ChunkedFraming()
  throw new Error(`The response declares no length: ${head}`)
}

class LengthFraming implements BodyFraming {
  #remaining: number

  constructor(length: number) {
    this.#remaining = length
  }

  push(bytes: Buffer): boolean {
    this.#remaining -= bytes.length
    if (this.#remaining < 0) throw new Error('The response is longer than its Content-Length')
    return this.#remaining === 0
  }
}

/** Chunked coding without trailers. @see https://www.rfc-editor.org/rfc/rfc9112#section-7.1 */
class ChunkedFraming implements BodyFraming {
  /** The part of the size line that was read, or undefined inside a chunk. */
  #line: string | undefined = ''
  /** Remaining bytes of the chunk, including its final CRLF. */
  #remaining = 0
  #last = false

  push(bytes: Buffer): boolean {
    let at = 0
    while (at < bytes.length) {
      if (this.#line === undefined) {
        const consumed = Math.min(this.#remaining, bytes.length - at)
        at += consumed
        this.#remaining -= consumed
        if (this.#remaining > 0) return false
        if (this.#last) return true
        this.#line = ''
      } else {
        const end = bytes.indexOf(10, at)
        this.#line += bytes.toString('latin1', at, end === -1 ? bytes.length : end)
        if (end === -1) return false
        at = end + 1
        const size = Number.parseInt(this.#line, 16)
        this.#last = size === 0
        this.#remaining = size + 2
        this.#line = undefined
      }
    }
    return false
  }
}
