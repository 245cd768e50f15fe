/** Text of others on one line: without control, format and separator characters, and without lone surrogates. */

export const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]+/gu

/** @param maxLength in UTF-16 code units. A longer text ends with `…` */
export function oneLine(text: string, maxLength: number): string {
  const line = text
    .slice(0, maxLength * 8)
    .replace(UNPRINTABLE, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return line.length > maxLength ? `${line.slice(0, maxLength)}…` : line
}
