/** UTF-8 that must be well-formed. */

// A leading byte order mark is ignored, as RFC 8259 §8.1 allows.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/** @throws {TypeError} for bytes that are not UTF-8 */
export function decodeUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}
