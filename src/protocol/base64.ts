/** Base64 over bytes and UTF-8 text, strict when reading. @see https://www.rfc-editor.org/rfc/rfc4648#section-4 */

export function encodeBase64(bytes: Uint8Array): string {
  return bytes.toBase64()
}

export function encodeBase64Url(text: string): string {
  return new TextEncoder().encode(text).toBase64({ alphabet: 'base64url', omitPadding: true })
}

const ALPHABET = /^[A-Za-z0-9+/]*={0,2}$/
const URL_ALPHABET = /^[A-Za-z0-9_-]*$/
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * UTF-8 text from padded base64, or undefined. Stricter than `atob`, which forgives white space,
 * missing padding and loose bits: two spellings of one value would let two readers disagree.
 */
export function decodeBase64Text(encoded: string): string | undefined {
  if (!ALPHABET.test(encoded)) return undefined
  try {
    return strictUtf8.decode(Uint8Array.fromBase64(encoded, { lastChunkHandling: 'strict' }))
  } catch {
    // Not base64 after all, or bytes that are not UTF-8.
    return undefined
  }
}

export function decodeBase64UrlText(encoded: string): string | undefined {
  if (!URL_ALPHABET.test(encoded)) return undefined
  const standard = encoded.replaceAll('-', '+').replaceAll('_', '/')
  return decodeBase64Text(standard.padEnd(Math.ceil(standard.length / 4) * 4, '='))
}
