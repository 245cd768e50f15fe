/** Reads the body of a response by its media type. */
import { encodeBase64 } from '../../../../src/platform/base64.ts'
import { type JsonBounds, parseBoundedJson } from '../../../../src/platform/bounded-json.ts'
import { tryParseJson } from '../../../../src/platform/try-parse.ts'
import { type JsonValue, jsonText } from '../../../../src/protocol/json.ts'
import { isJsonType, isTextType } from '../request/request-body.ts'

/** A body, as a tool can return it. */
export type ResponseBody =
  | { readonly kind: 'empty' }
  | { readonly kind: 'json'; readonly value: JsonValue; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | BinaryBody

export interface BinaryBody {
  readonly kind: 'image' | 'audio' | 'binary'
  readonly base64: string
  readonly mediaType: string
}

/** Bounds on JSON that is parsed. A body beyond them is text. */
const JSON_BOUNDS: JsonBounds = { depth: 100, values: 250_000 }

/** The types that models see. Others are files. */
const IMAGES: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

/** @param redact removes the credentials from a text */
export function readBody(
  bytes: Uint8Array,
  contentType: string | null,
  redact: (text: string) => string,
): ResponseBody {
  if (bytes.byteLength === 0) return { kind: 'empty' }
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';')
  const mediaType = type.trim()
  const charset = parameters.map((one) => one.trim()).find((one) => one.startsWith('charset='))
  const text = textOf(bytes, mediaType, charset?.slice('charset='.length))
  if (text !== undefined) return readText(redact(text), mediaType, redact)
  const base64 = encodeBase64(bytes)
  if (IMAGES.includes(mediaType)) return { kind: 'image', base64, mediaType }
  if (mediaType.startsWith('audio/')) return { kind: 'audio', base64, mediaType }
  return { kind: 'binary', base64, mediaType: mediaType || 'application/octet-stream' }
}

/** A body without a type is text if its bytes are. */
function textOf(bytes: Uint8Array, mediaType: string, charset = 'utf-8'): string | undefined {
  const isText = isJsonType(mediaType) || isTextType(mediaType)
  if (!isText && mediaType !== '') return undefined
  try {
    const label = charset.replaceAll('"', '')
    return new TextDecoder(label, { fatal: !isText, ignoreBOM: false }).decode(bytes)
  } catch {
    // An unknown charset, or bytes that are not text.
    return isText ? new TextDecoder().decode(bytes) : undefined
  }
}

/** Whether a text has a whole number that may be above 2^53, such as an identifier. */
const LONG_NUMBER = /\d{16}/

function readText(text: string, mediaType: string, redact: (text: string) => string): ResponseBody {
  if (!isJsonType(mediaType) && !(mediaType === '' && /^\s?[[{]/.test(text))) {
    return { kind: 'text', text }
  }
  const parsed = parseBoundedJson(text, JSON_BOUNDS)
  if (!parsed.ok) return { kind: 'text', text }
  const value = parsed.value as JsonValue
  const written = jsonText(value)
  const clean = redact(written)
  // An escape of JSON, such as `\u0026`, has hidden a credential.
  if (clean !== written) {
    const kept = tryParseJson(clean) as JsonValue | undefined
    return kept === undefined
      ? { kind: 'text', text: clean }
      : { kind: 'json', value: kept, text: clean }
  }
  // A number of JavaScript is not exact above 2^53: the text of the API is.
  return { kind: 'json', value, text: LONG_NUMBER.test(text) ? text : written }
}
