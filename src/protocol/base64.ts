/** Base64 over bytes and UTF-8 text, strict when reading. @see https://www.rfc-editor.org/rfc/rfc4648#section-4 */

/** Bytes converted per step: `String.fromCharCode` takes its input as arguments, which are bounded. */
const CHUNK = 0x8000

export function encodeBase64(bytes: Uint8Array): string {
  let binary = ''
  for (let at = 0; at < bytes.length; at += CHUNK) {
    binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK))
  }
  return btoa(binary)
}

export function encodeBase64Url(text: string): string {
  return encodeBase64(new TextEncoder().encode(text))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
}

const ALPHABET = /^[A-Za-z0-9+/]*={0,2}$/
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * UTF-8 text from padded base64, or undefined. Stricter than `atob`, which forgives white space and
 * missing padding: two spellings of one value would let two readers disagree.
 */
export function decodeBase64Text(encoded: string): string | undefined {
  if (encoded.length % 4 !== 0 || !ALPHABET.test(encoded)) return undefined
  try {
    const binary = atob(encoded)
    if (btoa(binary) !== encoded) return undefined
    return strictUtf8.decode(Uint8Array.from(binary, (character) => character.charCodeAt(0)))
  } catch {
    // Not base64 after all, or bytes that are not UTF-8.
    return undefined
  }
}

export function decodeBase64UrlText(encoded: string): string | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(encoded)) return undefined
  const standard = encoded.replaceAll('-', '+').replaceAll('_', '/')
  return decodeBase64Text(standard.padEnd(Math.ceil(standard.length / 4) * 4, '='))
}
