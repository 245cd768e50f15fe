/**
 * Opaque cursors. A cursor names the last item already given, not a position, so that a list which
 * grew or shrank in between neither repeats nor skips what both versions have.
 */
import { decodeBase64UrlText, encodeBase64UrlText } from '../../protocol/base64.ts'
import { isJsonObject, type JsonObject } from '../../protocol/json.ts'
import { invalidParams, type ProtocolError } from '../../protocol/protocol-error.ts'

/** Where a page goes on: after an item of a source, or at an author's own cursor into it. */
export interface Position {
  /** `''` for what is registered; a URI template for what it lists. */
  readonly source: string
  readonly after: string | undefined
  readonly inner: string | undefined
}

/** Longest cursor that is read, in characters. */
const MAX_CURSOR_LENGTH = 16_384

export function encodeCursor({ source, after, inner }: Position): string {
  return encodeBase64UrlText(JSON.stringify({ s: source, a: after, c: inner }))
}

export function badCursor(): ProtocolError {
  return invalidParams('The cursor is not one that this list gave out')
}

/**
 * The position a request asks for; undefined for the first page.
 *
 * @throws {ProtocolError} invalidParams for anything that `encodeCursor` does not write
 */
export function readCursor(params: JsonObject | undefined): Position | undefined {
  const cursor = params?.cursor
  if (cursor === undefined) return undefined
  if (typeof cursor !== 'string' || cursor.length > MAX_CURSOR_LENGTH) throw badCursor()
  const text = decodeBase64UrlText(cursor)
  if (text === undefined) throw badCursor()
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw badCursor()
  }
  if (!isJsonObject(value)) throw badCursor()
  const { s: source, a: after, c: inner } = value
  if (typeof source !== 'string' || !isOptionalString(after) || !isOptionalString(inner)) {
    throw badCursor()
  }
  const position = { source, after, inner }
  // One position has one spelling.
  if (encodeCursor(position) !== cursor) throw badCursor()
  return position
}

function isOptionalString(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string'
}
