/** The header that makes a browser store a file instead of showing it. @see https://www.rfc-editor.org/rfc/rfc6266 */

/** What `encodeURIComponent` leaves and `attr-char` excludes. @see https://www.rfc-editor.org/rfc/rfc8187#section-3.2.1 */
const NOT_ATTR_CHAR = /['()*]/g

/** The other characters of a name in `filename`, which older clients read. */
const NOT_PLAIN = /[^\w .()-]/gu

/** @param name well-formed text */
export function attachment(name: string): string {
  const plain = name.replace(NOT_PLAIN, '_')
  const encoded = encodeURIComponent(name).replace(
    NOT_ATTR_CHAR,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
