/** Text of servers and files for a terminal. It may contain anything, such as escape sequences. */
import { oneLine, UNPRINTABLE } from '../../../src/platform/printable.ts'

const MAX_CHARACTERS = 160

/** One line without control characters. */
export function printable(text: string, maxCharacters = MAX_CHARACTERS): string {
  return oneLine(text, maxCharacters)
}

/** JSON on one line, or with an indent on several, with control characters in its texts as escape sequences of JSON. */
export function printableJson(value: unknown, indent?: number): string {
  // JSON has such characters in texts alone, and line breaks between them.
  return JSON.stringify(value, undefined, indent).replace(UNPRINTABLE, (run) =>
    run.replace(/[^\n]+/g, escapeSequences),
  )
}

/** The colors of a terminal as `picocolors` writes them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with the escape character
const COLOR = /(\u001b\[\d{1,2}m)/

/** A whole text of lines, without characters that control a terminal or turn the direction of a line. */
export function printableLines(text: string, hasColors = false): string {
  const plain = (part: string) => part.replace(UNPRINTABLE, (run) => run.replace(/[^\n]+/g, ' '))
  if (!hasColors) return plain(text)
  return text
    .split(COLOR)
    .map((part, at) => (at % 2 === 1 ? part : plain(part)))
    .join('')
}

/** Writes each character that cannot be seen as its escape sequence. Tabs stay. */
export const visibleLine = (line: string): string =>
  line.replace(UNPRINTABLE, (run) => run.replace(/[^\t]+/g, escapeSequences))

/** Characters that a terminal obeys: control characters, and those that change the direction of the text. */
const OBEYED = /(?!\r?\n|\t)[\p{Cc}\p{Bidi_Control}]/gu

/** Writes the characters that a terminal obeys as escape sequences. Each other character stays as it is. */
export const inertText = (text: string): string => text.replace(OBEYED, escapeSequences)

/** The escape sequence of each UTF-16 code unit, as JSON and JavaScript write it. */
export const escapeSequences = (text: string): string =>
  text
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
