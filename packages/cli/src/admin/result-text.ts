/** The result of an operation as text for people. */
import { printable } from '../../../text/src/terminal-text.ts'
import { isTime } from './is-time.ts'

const MAX_LENGTH = 400

/** The id of a client that registered itself contains its registration. `--json` prints all of it. */
const MAX_ID_LENGTH = 60

/** Members whose numbers are times. */
const TIME = /(?:From|At)$/

/** One line for each member, and for a list one for each entry. */
export function resultText(result: unknown): string {
  return linesOf(result, '')
    .map((line) => `${line}\n`)
    .join('')
}

function linesOf(value: unknown, indent: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return [`${indent}${textOf('', value)}`]
  return Object.entries(value).flatMap(([key, member]) => {
    const name = printable(key)
    if (Array.isArray(member)) {
      if (member.length === 0) return [`${indent}${name}: none`]
      return member.flatMap((entry) => [`${indent}${name}:`, ...linesOf(entry, `${indent}  `)])
    }
    if (typeof member === 'object' && member !== null) {
      return [`${indent}${name}:`, ...linesOf(member, `${indent}  `)]
    }
    return [`${indent}${name}: ${textOf(name, member)}`]
  })
}

function textOf(name: string, value: unknown): string {
  if (typeof value === 'number' && TIME.test(name) && isTime(value)) {
    return new Date(value).toISOString()
  }
  return printable(String(value), name === 'id' ? MAX_ID_LENGTH : MAX_LENGTH)
}
