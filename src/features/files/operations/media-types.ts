/** Which media types are accepted, and which are text. */
import { essenceOf, isMediaType } from '../../../protocol/file-name.ts'
import { mediaTypeOf } from '../../../server/media-type.ts'

/** A media type or a family of them. */
const ACCEPTED = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+$/

const MAX_TYPES = 20

/** @throws {TypeError} for anything but a list of media types. It begins with `subject` */
export function checkTypes(subject: string, types: readonly string[] | undefined): void {
  if (types === undefined) return
  const isList = Array.isArray(types) && types.length > 0 && types.length <= MAX_TYPES
  if (isList && types.every(isAccepted)) return
  throw new TypeError(`${subject} must be 1 to ${MAX_TYPES} media types like text/csv or image/*`)
}

function isAccepted(type: unknown): boolean {
  return typeof type === 'string' && type.length <= 127 && ACCEPTED.test(type)
}

/** Whether one of the types, or all of them where there are none, includes a media type. */
export function acceptsType(types: readonly string[] | undefined, mimeType: string): boolean {
  const essence = essenceOf(mimeType)
  return types === undefined || types.some((type) => includes(type.toLowerCase(), essence))
}

function includes(type: string, essence: string): boolean {
  if (type === '*/*') return true
  return type.endsWith('/*') ? essence.startsWith(type.slice(0, -1)) : essence === type
}

/** Types of senders that know none. curl sends the last one with any data. */
const UNKNOWN = [
  '',
  'application/octet-stream',
  'binary/octet-stream',
  'application/x-www-form-urlencoded',
]

/** The type that a sender states; undefined where it states none, or a malformed one. */
export function statedType(type: string): string | undefined {
  return isMediaType(type) && !UNKNOWN.includes(essenceOf(type)) ? type : undefined
}

/** The type that a sender states, else that of the extension of the name. */
export function fileType(stated: string, name: string): string {
  return statedType(stated) ?? mediaTypeOf(name, false)
}

/** Types of text beside `text/*` and those with the suffixes of JSON and XML. */
const TEXTS = ['application/json', 'application/xml', 'application/yaml', 'application/javascript']

/** Whether a type is text by its name. Bytes that are not UTF-8 are binary all the same. */
export function isText(mimeType: string): boolean {
  const essence = essenceOf(mimeType)
  return (
    essence.startsWith('text/') ||
    essence.endsWith('+json') ||
    essence.endsWith('+xml') ||
    TEXTS.includes(essence)
  )
}

/** Undefined for bytes that are not UTF-8. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    // Not UTF-8: sent as binary.
    return undefined
  }
}
