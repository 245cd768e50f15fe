/** What a person reads about a mistake of JSON syntax. */
import type { ParseErrorCode } from 'jsonc-parser'

/** By the numbers of the parser's errors. */
const TEXTS: Readonly<Record<number, string>> = {
  1: 'this is no value of JSON: quote a text with "',
  2: 'this number is malformed',
  3: 'the name of a member is expected, in double quotes',
  4: 'a value is expected',
  5: 'a colon is missing after the name',
  6: 'a comma is missing',
  7: 'a closing brace } is missing',
  8: 'a closing bracket ] is missing',
  9: 'the file must end here',
  10: 'comments are not allowed here',
  11: 'the comment does not end: close it with */',
  12: 'the text does not end on its line: close it with "',
  13: 'the number does not end',
  14: '\\u needs four hexadecimal digits',
  15: 'a backslash must be written as \\\\',
  16: 'a control character must be written as an escape, such as \\n',
}

export const syntaxText = (code: ParseErrorCode): string => TEXTS[code] ?? 'this is not JSON'
