/**
 * `data:` URIs. The name of the file may be in them: `data:text/csv;name=a.csv;base64,…`.
 *
 * @see https://www.rfc-editor.org/rfc/rfc2397
 */
import { tryDecodeUri } from '../../../platform/try-parse.ts'
import { isMediaType } from '../../../protocol/file-name.ts'

const SCHEME = /^data:/i
const BASE64 = /;\s*base64$/i
const NAME = /;\s*name=("?)([^";]*)\1/i

/** Maximum length of what precedes the data. */
const MAX_HEAD_LENGTH = 1024

export interface DataUri {
  readonly bytes: Uint8Array
  readonly mimeType: string
  /** As the sender says: not safe. */
  readonly name: string
}

export const isDataUri = (text: string): boolean => SCHEME.test(text)

/** @param maxBytes is compared with the length of the data before its bytes are decoded */
export function readDataUri(uri: string, maxBytes: number): DataUri | 'malformed' | 'too-large' {
  const comma = uri.indexOf(',')
  if (comma === -1 || comma > MAX_HEAD_LENGTH) return 'malformed'
  const head = uri.slice('data:'.length, comma)
  const isBase64 = BASE64.test(head)
  const [, , encodedName = ''] = NAME.exec(head) ?? []
  const type = head.replace(BASE64, '').replace(NAME, '')
  const mimeType = type === '' || type.startsWith(';') ? `text/plain${type}` : type
  const name = tryDecodeUri(encodedName)
  if (!isMediaType(mimeType) || name === undefined) return 'malformed'
  const content = uri.slice(comma + 1)
  // `+`, `/` and `=` of base64 may be percent-encoded too.
  const data = isBase64 ? tryDecodeUri(content) : content
  if (data === undefined) return 'malformed'
  // Three bytes are four characters of base64, and one at most three percent-encoded ones.
  if (data.length > (isBase64 ? Math.ceil(maxBytes / 3) * 4 : maxBytes * 3)) return 'too-large'
  const bytes = isBase64 ? fromBase64(data) : fromPercent(data)
  if (bytes === undefined) return 'malformed'
  return bytes.byteLength > maxBytes ? 'too-large' : { bytes, mimeType, name }
}

/** Padding may be missing. Line breaks are no base64 of a URI. */
function fromBase64(data: string): Uint8Array | undefined {
  try {
    return /\s/.test(data) ? undefined : Uint8Array.fromBase64(data)
  } catch {
    return undefined
  }
}

/** Percent-encoded bytes need not be UTF-8. */
function fromPercent(data: string): Uint8Array | undefined {
  if (/%(?![0-9a-f]{2})/i.test(data)) return undefined
  const encoded = new TextEncoder().encode(data)
  const bytes = new Uint8Array(encoded.byteLength)
  let length = 0
  for (let at = 0; at < encoded.byteLength; at++) {
    const byte = encoded[at] ?? 0
    const isEscape = byte === 0x25
    bytes[length++] = isEscape
      ? Number.parseInt(String.fromCharCode(encoded[at + 1] ?? 0, encoded[at + 2] ?? 0), 16)
      : byte
    if (isEscape) at += 2
  }
  return bytes.subarray(0, length)
}
