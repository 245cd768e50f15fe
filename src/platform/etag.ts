/** Entity tags of conditional requests. */

/**
 * Whether `If-None-Match` names an entity tag, by the weak comparison.
 *
 * @param etag with its quotes
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2
 */
export function isNoneMatch(header: string | null, etag: string): boolean {
  if (header === null) return false
  // A tag may contain a comma, so the list is not split at commas.
  const tags: readonly string[] = header.match(/"[^"]*"/g) ?? []
  return header.trim() === '*' || tags.includes(etag)
}
