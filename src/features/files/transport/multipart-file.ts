/**
 * Reads the file of a form (`multipart/form-data`) as a stream. The platform's `formData()` would hold
 * the whole body in memory.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7578
 */
import { joinBytes } from '../../../platform/join-bytes.ts'

/** Maximum size of what precedes the file: the headers of its part, and other fields. */
const MAX_HEAD_BYTES = 16 * 1024

const BOUNDARY = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i

const CR = 13

export interface FormFile {
  /** The name that the browser sends: not safe. */
  readonly name: string
  readonly mimeType: string
  /** Fails when the body ends before the file does. */
  readonly bytes: ReadableStream<Uint8Array>
}

/** The body is no form, or the client has ended the connection before the end of it. */
export const incompleteBody = (message: string) => new DOMException(message, 'DataError')

/** The delimiter of the parts of a body; undefined for another content type. */
export function boundaryOf(contentType: string): string | undefined {
  if (!/^multipart\/form-data\s*;/i.test(contentType)) return undefined
  const [, quoted, plain] = BOUNDARY.exec(contentType) ?? []
  return quoted ?? plain
}

/**
 * Returns the first part with a file name; undefined when the form has none, or an empty one because no
 * file was chosen.
 *
 * @throws {DOMException} `DataError`
 */
export async function readFormFile(
  body: ReadableStream<Uint8Array>,
  boundary: string,
): Promise<FormFile | undefined> {
  const input = new Input(body.getReader())
  // The first delimiter has no line break before it.
  input.prepend(encode('\r\n'))
  const delimiter = encode(`\r\n--${boundary}`)
  await skipPast(input, delimiter)
  for (;;) {
    const after = await input.take(2)
    if (after === '--') return undefined
    if (after !== '\r\n') throw incompleteBody('A delimiter is malformed')
    const headers = await readHeaders(input)
    const name = fileNameOf(headers)
    if (name !== undefined && name !== '') {
      return { name, mimeType: typeOf(headers), bytes: partOf(input, delimiter) }
    }
    await skipPast(input, delimiter)
  }
}

/** The bytes that were received and not yet used. */
class Input {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  buffer: Uint8Array = new Uint8Array()
  #used = 0

  constructor(reader: ReadableStreamDefaultReader<Uint8Array>) {
    this.#reader = reader
  }

  prepend(bytes: Uint8Array): void {
    this.buffer = joinBytes([bytes, this.buffer])
  }

  /** @throws {DOMException} `DataError` at the end of the body */
  async receive(): Promise<void> {
    const { done, value } = await this.#reader.read()
    if (done) throw incompleteBody('The body ends too early')
    this.buffer = this.buffer.byteLength === 0 ? value : joinBytes([this.buffer, value])
  }

  advance(count: number): Uint8Array {
    const bytes = this.buffer.subarray(0, count)
    this.buffer = this.buffer.subarray(count)
    return bytes
  }

  /** Counts what precedes the file. @throws {DOMException} `DataError` for too much */
  count(bytes: number): void {
    this.#used += bytes
    if (this.#used > MAX_HEAD_BYTES) throw incompleteBody('The form has too many fields')
  }

  async take(count: number): Promise<string> {
    while (this.buffer.byteLength < count) await this.receive()
    return decode(this.advance(count))
  }

  async cancel(): Promise<void> {
    await this.#reader.cancel()
  }
}

async function skipPast(input: Input, delimiter: Uint8Array): Promise<void> {
  for (;;) {
    const found = indexOf(input.buffer, delimiter)
    // The start of a delimiter may be at the end of what was received.
    const skipped = found < 0 ? input.buffer.byteLength - delimiter.byteLength + 1 : found
    if (skipped > 0) {
      input.count(skipped)
      input.advance(skipped)
    }
    if (found >= 0) {
      // Parts without headers and content are counted by their delimiters alone.
      input.count(delimiter.byteLength)
      input.advance(delimiter.byteLength)
      return
    }
    await input.receive()
  }
}

async function readHeaders(input: Input): Promise<readonly string[]> {
  const end = encode('\r\n\r\n')
  // A part without headers begins with the empty line.
  input.prepend(encode('\r\n'))
  for (;;) {
    const found = indexOf(input.buffer, end)
    if (found >= 0) {
      input.count(found)
      const text = decode(input.advance(found))
      input.advance(end.byteLength)
      return text.split('\r\n').filter((line) => line !== '')
    }
    if (input.buffer.byteLength > MAX_HEAD_BYTES) {
      throw incompleteBody('The headers of a part are too long')
    }
    await input.receive()
  }
}

function partOf(input: Input, delimiter: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        for (;;) {
          const found = indexOf(input.buffer, delimiter)
          const ready = found < 0 ? input.buffer.byteLength - delimiter.byteLength + 1 : found
          if (ready > 0) controller.enqueue(input.advance(ready))
          if (found >= 0) {
            controller.close()
            // What follows the file is not read.
            await input.cancel().catch(() => undefined)
            return
          }
          if (ready > 0) return
          await input.receive()
        }
      },
      cancel: () => input.cancel(),
    },
    { highWaterMark: 0 },
  )
}

/** The value of `filename`: a token, or as browsers write it, with quotes and line breaks percent-encoded. */
function fileNameOf(headers: readonly string[]): string | undefined {
  const [disposition = ''] = headers.filter((line) => /^content-disposition:/i.test(line))
  const [, quoted, token] = /;\s*filename=(?:"([^"]*)"|([^\s;"]+))/i.exec(disposition) ?? []
  const name = quoted ?? token
  return name?.replaceAll('%22', '"').replaceAll('%0D', '\r').replaceAll('%0A', '\n')
}

function typeOf(headers: readonly string[]): string {
  const [line = ''] = headers.filter((header) => /^content-type:/i.test(header))
  return line.slice(line.indexOf(':') + 1).trim()
}

function indexOf(bytes: Uint8Array, searched: Uint8Array): number {
  let start = bytes.indexOf(CR)
  while (start >= 0 && start + searched.byteLength <= bytes.byteLength) {
    let matched = 1
    while (matched < searched.byteLength && bytes[start + matched] === searched[matched]) matched++
    if (matched === searched.byteLength) return start
    start = bytes.indexOf(CR, start + 1)
  }
  return -1
}

const encode = (text: string) => new TextEncoder().encode(text)

const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
