/** Cuts a page from a list that is in memory. */
import { badCursor, encodeCursor, type Position } from './cursor.ts'

/** Maximum length of the items of one page, in UTF-16 code units of JSON text. One item always fits. */
const MAX_PAGE_LENGTH = 4 * 1024 * 1024

export interface Page<T> {
  readonly page: readonly T[]
  /** Undefined on the last page. */
  readonly nextCursor: string | undefined
}

/**
 * @param keyOf distinguishes an item in the cursor
 * @param position where the page begins; undefined for the first page
 * @throws {ProtocolError} invalidParams for a position that is not in the list
 */
export function pageOf<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  position: Position | undefined,
  pageSize: number,
): Page<T> {
  const after = position?.after
  const last = after === undefined ? -1 : items.findIndex((item) => keyOf(item) === after)
  const isOfThisList = position === undefined || (position.source === '' && last !== -1)
  if (!isOfThisList || position?.inner !== undefined) throw badCursor()
  const page = fittingPage(items.slice(last + 1, last + 1 + pageSize))
  const end = page.at(-1)
  const hasMore = end !== undefined && last + 1 + page.length < items.length
  const nextCursor = hasMore
    ? encodeCursor({ source: '', after: keyOf(end), inner: undefined })
    : undefined
  return { page, nextCursor }
}

function fittingPage<T>(items: readonly T[]): readonly T[] {
  let length = 0
  const end = items.findIndex((item, at) => {
    length += JSON.stringify(item).length
    return at > 0 && length > MAX_PAGE_LENGTH
  })
  return end === -1 ? items : items.slice(0, end)
}
