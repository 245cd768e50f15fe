/** The preconditions and the range of a request for a file. @see https://www.rfc-editor.org/rfc/rfc9110#section-14.2 */
import type { ByteRange } from '../../../ports/files.ts'

const RANGE = /^bytes=(\d*)-(\d*)$/i

/**
 * Returns the range that a request asks for. `whole` without one, and where the header is ignored: another
 * unit, several ranges, malformed, or of another version of the file. `unsatisfiable` for a range that
 * begins after the end.
 */
export function requestedRange(
  headers: Headers,
  size: number,
  etag: string,
): ByteRange | 'whole' | 'unsatisfiable' {
  const [, first, last] = RANGE.exec(headers.get('range')?.replaceAll(/[ \t]/g, '') ?? '') ?? []
  if (first === undefined || last === undefined || first + last === '') return 'whole'
  const condition = headers.get('if-range')
  // There is no date to compare with, and a weak tag never matches.
  if (condition !== null && condition.trim() !== etag) return 'whole'
  if (first === '') {
    const length = Number(last)
    if (length === 0) return 'unsatisfiable'
    return size === 0 ? 'whole' : { start: Math.max(0, size - length), end: size }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return 'whole'
  if (start >= size) return 'unsatisfiable'
  return { start, end: last === '' ? size : Math.min(size, Number(last) + 1) }
}

/** Whether the file is the one that `If-Match` requires. */
export function matches(headers: Headers, etag: string): boolean {
  const tags = headers.get('if-match')
  return tags === null || hasTag(tags, etag)
}

/** Whether the client has the file that it asks for. */
export function isKnown(headers: Headers, etag: string): boolean {
  const tags = headers.get('if-none-match')
  return tags !== null && hasTag(tags.replaceAll('W/', ''), etag)
}

function hasTag(tags: string, etag: string): boolean {
  return tags.split(',').some((tag) => tag.trim() === '*' || tag.trim() === etag)
}
