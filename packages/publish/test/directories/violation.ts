/** A violation of a rule of a directory, and how tables of them are written. */
import { DIRECTORY_FAULTS, type DirectoryCode } from '../../src/directories/faults.ts'
import type { DirectoryInput } from '../../src/directories/input.ts'
import { DIRECTORY_NAMES, type DirectoryName } from '../../src/directories/names.ts'
import { changed, clean } from './clean.ts'

export interface Violation {
  readonly what: string
  readonly code: DirectoryCode
  readonly input: DirectoryInput
  /** The directories that refuse the server for it. Empty for advice. */
  readonly refusedBy: readonly DirectoryName[]
}

export const CLAUDE = 'claude-directory'
export const OPENAI = 'openai-plugins'
export const REGISTRY = 'mcp-registry'

/** Where the catalogue has an error. */
const refusing = (code: DirectoryCode): readonly DirectoryName[] =>
  DIRECTORY_NAMES.filter((name) => DIRECTORY_FAULTS[code].directories[name]?.severity === 'error')

export const row = (
  code: DirectoryCode,
  what: string,
  input: DirectoryInput,
  refusedBy = refusing(code),
): Violation => ({ what, code, input, refusedBy })

/** A change of one member. */
export const at = (code: DirectoryCode, path: string, value: unknown, refusedBy = refusing(code)) =>
  row(code, `${path} is ${JSON.stringify(value)?.slice(0, 60)}`, changed(path, value), refusedBy)

/** The tool that searches, with another name, description and arguments. Cases and texts name the new one. */
export function tool(change: Readonly<Record<string, unknown>>): DirectoryInput {
  const copy = JSON.parse(JSON.stringify(clean))
  Object.assign(copy.surface.tools[0], change)
  if (typeof change.name === 'string') {
    const { name } = change
    copy.surface.instructions = 'The notes of the person.'
    for (const one of copy.listing.cases.positive) one.tools = [name]
    copy.listing.justifications[name] = copy.listing.justifications.search_notes
  }
  return copy
}

export const text = (type = 'string') => ({ type })
export const args = (properties: object) => ({ type: 'object', properties })
export const reading = { readOnlyHint: true, destructiveHint: false, openWorldHint: false }
export const writing = { readOnlyHint: false, destructiveHint: false, openWorldHint: false }
export const destroying = { readOnlyHint: false, destructiveHint: true, openWorldHint: false }
