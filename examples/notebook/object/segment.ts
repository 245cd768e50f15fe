/**
 * Prepares text for the full-text index. SQLite's tokenizer treats a run of letters as one token,
 * which is correct only for scripts with spaces between words. In other scripts a separator is
 * inserted between characters, so that a phrase of any length matches anywhere in a sentence.
 */

/** Unit separator (U+001F): one byte, a token boundary, and removed from all input by `cleanText`. */
const SEPARATOR = '\u001f'

/** Control characters except tab, line feed and return. NUL would also truncate a search expression. */
const CONTROLS = /[^\P{Cc}\t\n\r]/gu

/** A character of a script that is written without spaces, or an emoji. Each is a separate token. */
const ALONE = String.raw`[[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{Extended_Pictographic}]--\p{M}]`
// Matches after such a character and its marks if another token character follows, and before it if
// a token character precedes. The lookahead is first, so that a run of marks is scanned only once.
const BOUNDARY = new RegExp(
  String.raw`(?=[\p{L}\p{N}\p{So}])(?<=${ALONE}\p{M}*)|(?=${ALONE})(?<=[\p{L}\p{N}\p{M}\p{So}])`,
  'gv',
)

/** Removes control characters, replaces lone surrogates and normalizes line ends. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll('\r\n', '\n').replace(CONTROLS, '')
}

/** Returns the segmented form of a cleaned text, which is stored and indexed. */
export function segment(text: string): string {
  return text.replace(BOUNDARY, SEPARATOR)
}

/** Returns the text of its segmented form. */
export function joinSegments(stored: string): string {
  return stored.replaceAll(SEPARATOR, '')
}
