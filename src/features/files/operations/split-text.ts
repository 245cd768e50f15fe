/** Where a page of a text ends. */

/** How much of the end of a page is searched for the end of a line, as a part of the page. */
const SEARCHED = 0.5

/** UTF-16 code units in which the grapheme at the end of a page is searched. Longer ones are cut. */
const GRAPHEME_WINDOW = 64

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })

/**
 * Returns the number of bytes at the start of UTF-8 text that form a page: at most `pageBytes`, at least
 * one character. A page ends at the end of a line where there is one in its second half, else between two
 * graphemes. It never cuts a character.
 *
 * @param bytes the text from the start of the page on; more than a page, unless the text ends
 */
export function pageLength(bytes: Uint8Array, pageBytes: number): number {
  if (bytes.byteLength <= pageBytes) return bytes.byteLength
  const line = bytes.lastIndexOf(0x0a, pageBytes - 1)
  if (line >= pageBytes * (1 - SEARCHED)) return line + 1
  return graphemeStart(bytes, characterStart(bytes, pageBytes))
}

/** The last position up to `position` where a character of UTF-8 begins. */
function characterStart(bytes: Uint8Array, position: number): number {
  let start = position
  while (start > 0 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1
  return start
}

/** The last position up to `position` where a grapheme begins. */
function graphemeStart(bytes: Uint8Array, position: number): number {
  const from = characterStart(bytes, Math.max(0, position - GRAPHEME_WINDOW))
  const before = decode(bytes.subarray(from, position))
  const after = decode(bytes.subarray(position, position + GRAPHEME_WINDOW))
  const { index = 0 } = graphemes.segment(before + after).containing(before.length) ?? {}
  const kept = new TextEncoder().encode(before.slice(0, index)).byteLength
  // A grapheme longer than the window is cut between two characters.
  return kept === 0 ? position : from + kept
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(bytes)
}
