/**
 * Opaque cursors. A cursor names the last item of the previous page instead of an index, so that a list that
 * grows or shrinks between two pages neither repeats nor skips items that both versions have.
 */

import { decodeBase64UrlText, encodeBase64UrlText } from '../../platform/base64.ts'
import { tryParseJson } from '../../platform/try-parse.ts'
import { isJsonObject, type JsonObject } from '../../protocol/json.ts'
import { invalidParams, type ProtocolError } from '../../protocol/protocol-error.ts'

/** The position where a page continues: after an item of a source, or at the author's cursor into it. */
export interface Position {
  /** `''` for registered resources; the URI template for the resources that it lists. */
  readonly source: string
  readonly after: string | undefined
  readonly inner: string | undefined
}

/** The first character of a cursor. A client that receives one of another version reads the list again. */
const VERSION = '1'

/** Maximum length of a cursor, in UTF-16 code units. */
const MAX_CURSOR_LENGTH = 16_384

export function encodeCursor({ source, after, inner }: Position): string {
  return VERSION + encodeBase64UrlText(JSON.stringify({ s: source, a: after, c: inner }))
}

export function badCursor(): ProtocolError {
  return invalidParams(
    'params.cursor is not a cursor of this list: request the first page without a cursor',
  )
}

/**
 * Reads the position that a request asks for; undefined for the first page.
 *
 * @throws {ProtocolError} invalidParams for a cursor that `encodeCursor` does not produce
 */
export function readCursor(params: JsonObject | undefined): Position | undefined {
  const cursor = params?.cursor
  if (cursor === undefined) return undefined
  if (typeof cursor !== 'string' || cursor.length > MAX_CURSOR_LENGTH) throw badCursor()
  const text = cursor.startsWith(VERSION) ? decodeBase64UrlText(cursor.slice(1)) : undefined
  const value = text === undefined ? undefined : tryParseJson(text)
  if (!isJsonObject(value)) throw badCursor()
  const { s: source, a: after, c: inner } = value
  if (typeof source !== 'string' || !isOptionalString(after) || !isOptionalString(inner)) {
    throw badCursor()
  }
  const position = { source, after, inner }
  // A position has exactly one encoding.
  if (encodeCursor(position) !== cursor) throw badCursor()
  return position
}

function isOptionalString(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string'
}
