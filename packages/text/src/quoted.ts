/** Values of servers in messages. */
import { jsonOf } from './json/json-text.ts'
import { printable } from './terminal-text.ts'

/** A value of a server as it appears in a message, in quotes. */
export function quoted(value: unknown): string {
  if (typeof value === 'string') return `"${printable(value)}"`
  return value === undefined ? 'nothing' : printable(jsonOf(value) ?? 'a value that is too deep')
}

/** A value of a server as text. `String` calls what the value has as `toString`, which may be no function. */
export function textOf(value: unknown): string {
  return typeof value === 'object' ? (jsonOf(value) ?? '') : String(value)
}

const MAX_NAMED = 3

/** The first texts of a list, and how many more there are. */
export function firstOf(texts: readonly string[]): string {
  const more = texts.length > MAX_NAMED ? ` and ${texts.length - MAX_NAMED} more` : ''
  return `${texts.slice(0, MAX_NAMED).join(', ')}${more}`
}
