/** Text of files on several lines, for a terminal. One line of it: see `printable` of `../doctor/text.ts`. */
import { UNPRINTABLE } from '../../src/platform/printable.ts'

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
