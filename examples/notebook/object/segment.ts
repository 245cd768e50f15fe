/**
 * Text as the index sees words. SQLite's tokenizer takes a run of letters for one word, which holds
 * for scripts with spaces only, so characters of the others are set apart with a separator. A
 * phrase of such characters then finds them anywhere in a sentence, one character or many.
 */

/** Unit separator: one byte, a word boundary to the tokenizer, and no part of anybody's text. */
const SEPARATOR = '\u001f'

/** Control characters but tab, line feed and return. NUL would also end a search expression early. */
const CONTROLS = /[^\P{Cc}\t\n\r]/gu

/** A character of a script that is written without spaces, or an emoji. */
const ALONE = String.raw`[[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{Extended_Pictographic}]--\p{M}]`
// Behind one (and its marks) where another character of a word follows, and before one where such a
// character precedes. The look-ahead comes first, so that a run of marks is walked back over once.
const BOUNDARY = new RegExp(
  String.raw`(?=[\p{L}\p{N}\p{So}])(?<=${ALONE}\p{M}*)|(?=${ALONE})(?<=[\p{L}\p{N}\p{M}\p{So}])`,
  'gv',
)

/** Text without characters that no note needs, and without broken surrogates. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll('\r\n', '\n').replace(CONTROLS, '')
}

/** What is stored and indexed for a text that was cleaned. */
export function segment(text: string): string {
  return text.replace(BOUNDARY, SEPARATOR)
}

/** The text back again. */
export function joinSegments(stored: string): string {
  return stored.replaceAll(SEPARATOR, '')
}
