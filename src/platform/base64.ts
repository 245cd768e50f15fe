/** Base64 and base64url for bytes and UTF-8 text. Decoding is strict. @see https://www.rfc-editor.org/rfc/rfc4648#section-4 */

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
 * Decodes UTF-8 text from padded base64, or returns undefined. Unlike `atob`, it rejects white space,
 * missing padding and non-zero trailing bits, so that each value has one form.
 */
export function decodeBase64Text(encoded: string): string | undefined {
  if (!ALPHABET.test(encoded)) return undefined
  try {
    return strictUtf8.decode(Uint8Array.fromBase64(encoded, { lastChunkHandling: 'strict' }))
  } catch {
    // Not base64, or not UTF-8.
    return undefined
  }
}

export function decodeBase64UrlText(encoded: string): string | undefined {
  if (!URL_ALPHABET.test(encoded)) return undefined
  const standard = encoded.replaceAll('-', '+').replaceAll('_', '/')
  return decodeBase64Text(standard.padEnd(Math.ceil(standard.length / 4) * 4, '='))
}

/**
 * Decodes unpadded base64url, or returns undefined. Unused bits of the last character must be zero, so
 * that each value has one form; most decoders ignore them.
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
