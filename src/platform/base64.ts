/** Base64 over bytes and UTF-8 text, strict when reading. @see https://www.rfc-editor.org/rfc/rfc4648#section-4 */

export function encodeBase64(bytes: Uint8Array): string {
  return bytes.toBase64()
}

/** Without padding. */
export function encodeBase64Url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: 'base64url', omitPadding: true })
}

export function encodeBase64UrlText(text: string): string {
  return encodeBase64Url(new TextEncoder().encode(text))
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

/**
 * Bytes from unpadded base64url. The last character may carry bits that belong to no byte, and
 * decoders ignore them, so a text would have several spellings: here they must be zero.
 *
 * @see https://www.rfc-editor.org/rfc/rfc4648#section-3.5
 */
export function decodeBase64Url(text: string): Uint8Array | undefined {
  if (!URL_ALPHABET.test(text)) return undefined
  const remainder = text.length % 4
  if (remainder === 1) return undefined
  if (remainder === 2 && !/[AQgw]$/.test(text)) return undefined
  if (remainder === 3 && !/[AEIMQUYcgkosw048]$/.test(text)) return undefined
  return Uint8Array.fromBase64(text, { alphabet: 'base64url' })
}
