/** Edits of a configuration that keep its form: each appends a value to a list, which is created where it lacks. */
import { isDeepStrictEqual } from 'node:util'
import { isJsonObject } from '../../../../src/protocol/json.ts'
import { CommandError } from '../../../text/src/command-error.ts'
import type { Members } from '../../../text/src/json/members.ts'
import { printable } from '../../../text/src/terminal-text.ts'

/** A flag, or a binding or a migration. */
export type ListEntry = string | Members

/** The names of the members that lead to a list. */
export type ListPath = readonly string[]

export interface Append {
  readonly path: ListPath
  readonly entry: ListEntry
}

/** The language of a configuration file. */
export interface Language {
  /** @throws {CommandError} for a syntax error, with its place */
  read(file: string, text: string): unknown
  /** The text with the entry at the end of the list. */
  append(text: string, append: Append, eol: string): string
}

/**
 * Applies the edits one after the other, and compares what the text says before and after.
 *
 * @throws {CommandError} when an edit cannot be written without changing something else
 */
export function appendAll(
  language: Language,
  file: string,
  { text, eol }: { readonly text: string; readonly eol: string },
  appends: readonly Append[],
): string {
  return appends.reduce((before, append) => {
    const expected = structuredClone(language.read(file, before))
    if (isAppended(expected, append)) {
      const after = language.append(before, append, eol)
      if (isDeepStrictEqual(language.read(file, after), expected)) return after
    }
    throw new CommandError(
      `${printable(file, 1000)} has a form that cannot be extended: add ${JSON.stringify(append.entry)} to ${append.path.join('.')} yourself, and run the command again`,
    )
  }, text)
}

/** Appends the entry to a value; false where another value is in the place of the list, or of an object around it. */
function isAppended(root: unknown, { path, entry }: Append): boolean {
  let value = root
  for (const [at, name] of path.entries()) {
    if (!isJsonObject(value)) return false
    const owner = value as Record<string, unknown>
    owner[name] ??= at === path.length - 1 ? [] : {}
    value = owner[name]
  }
  if (!Array.isArray(value)) return false
  value.push(entry)
  return true
}
