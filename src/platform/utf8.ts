/** UTF-8: encodes, decodes what must be well-formed, and counts bytes. */

// A leading byte order mark is ignored, as RFC 8259 §8.1 allows.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
const encoder = new TextEncoder()

/** @throws {TypeError} for bytes that are not UTF-8 */
export function decodeUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}

export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text)
}

/** Longest text whose bytes are counted here: the platform encodes a longer one faster. */
const MAX_COUNTED = 2_048

const NON_ASCII = /[\u0080-\uffff]/

/** The number of bytes that a text has in UTF-8. */
export function utf8Length(text: string | Uint8Array): number {
  if (typeof text !== 'string') return text.byteLength
  // Nearly every text. The search is native and costs less than the loop.
  if (!NON_ASCII.test(text)) return text.length
  if (text.length > MAX_COUNTED) return encoder.encode(text).byteLength
  let bytes = text.length
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit < 0x80) continue
    // A pair of surrogates has four bytes, and a lone one the three of its replacement.
    if (unit >= 0xd800 && unit < 0xe000) return encoder.encode(text).byteLength
    bytes += unit < 0x800 ? 1 : 2
  }
  return bytes
}
