/** Text of servers in messages. It may contain anything, such as escape sequences of terminals. */
import { oneLine, UNPRINTABLE } from '../../src/platform/printable.ts'
import { tryParseJson } from '../../src/platform/try-parse.ts'
import { escapeSequences } from '../files/terminal-text.ts'

const MAX_CHARACTERS = 160

/** One line without control characters. */
export function printable(text: string, maxCharacters = MAX_CHARACTERS): string {
  return oneLine(text, maxCharacters)
}

/** An argument as a person types it in a command. */
export const argument = (text: string): string =>
  /^[\w./:@%+=,-]+$/.test(text) ? text : `"${text.replace(/["\\$`]/g, '\\$&')}"`

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

/** A value of a server as it appears in a message, in quotes. */
export function quoted(value: unknown): string {
  if (typeof value === 'string') return `"${printable(value)}"`
  return value === undefined ? 'nothing' : printable(jsonOf(value) ?? 'a value that is too deep')
}

/** A value of a server as text. `String` calls what the value has as `toString`, which may be no function. */
export function textOf(value: unknown): string {
  return typeof value === 'object' ? (jsonOf(value) ?? '') : String(value)
}

/** The JSON of a parsed value; undefined for one that is nested too deeply to be written. */
export function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    // The parser has no limit of depth, and the writer has that of the stack.
    return undefined
  }
}

/** The members of a JSON object that a server or a file has. */
export type Members = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The member at a path such as `claude.oneLiner`, of a value that may lack any of it. */
export function memberAt(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((one, name) => (isObject(one) ? one[name] : undefined), value)
}

const MAX_NAMED = 3

/** The first texts of a list, and how many more there are. */
export function firstOf(texts: readonly string[]): string {
  const more = texts.length > MAX_NAMED ? ` and ${texts.length - MAX_NAMED} more` : ''
  return `${texts.slice(0, MAX_NAMED).join(', ')}${more}`
}

/** The texts that come more than once, each once. */
export function repeatedIn(texts: readonly string[]): readonly string[] {
  const seen = new Set<string>()
  const repeated = new Set<string>()
  for (const text of texts) (seen.has(text) ? repeated : seen).add(text)
  return [...repeated]
}

/** A member that is an array; empty for any other value. */
export function listIn(value: unknown, member: string): readonly unknown[] {
  const list = isObject(value) ? value[member] : undefined
  return Array.isArray(list) ? list : []
}

/** The JSON value of a text; undefined when it is not JSON, which JSON itself cannot express. */
export function parseJson(text: string): unknown {
  return tryParseJson(text.replace(/^\uFEFF/, ''))
}

export const isHtml = (text: string): boolean =>
  /^\s*(?:<!doctype html|<html|<\?xml|<head|<body)/i.test(text)

/** Whether a parsed value nests more levels of arrays and objects. The parser has no limit of depth. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  const isNested = (one: unknown): one is object => typeof one === 'object' && one !== null
  let nested = [value].filter(isNested)
  for (let level = 0; level < levels; level++) {
    nested = nested.flatMap((one) => Object.values(one).filter(isNested))
  }
  return nested.length > 0
}

/** Whether a `Date` can have the value. */
export const isTime = (value: unknown): value is number =>
  typeof value === 'number' && !Number.isNaN(new Date(value).getTime())
