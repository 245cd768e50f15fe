/** Reads a body up to a limit. `Content-Length` is not trusted. */
import { joinBytes } from './join-bytes.ts'
import { decodeUtf8 } from './utf8.ts'

type Reader = ReadableStreamDefaultReader<Uint8Array>

/**
 * Returns the bytes of a body, or undefined if there are more than `maxBytes`.
 *
 * @param discard handles the rest of a body that is too large. Default: cancels the stream
 * @throws the error of a stream that fails
 */
export async function readBoundedBody(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  discard: (reader: Reader) => Promise<void> | void = cancel,
): Promise<Uint8Array | undefined> {
  if (body === null) return new Uint8Array()
  const reader = body.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return joinBytes(chunks)
    size += value.byteLength
    if (size > maxBytes) {
      await discard(reader)
      return undefined
    }
    chunks.push(value)
  }
}

/**
 * Returns a body as text, or undefined if it has more than `maxBytes`.
 *
 * @throws {TypeError} for bytes that are not UTF-8, and the error of a stream that fails
 */
export async function readBoundedText(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<string | undefined> {
  const bytes = await readBoundedBody(body, maxBytes)
  return bytes && decodeUtf8(bytes)
}

/** Does not wait: the sender decides when a cancellation completes. */
function cancel(reader: Reader): void {
  reader.cancel().catch(() => undefined)
}
