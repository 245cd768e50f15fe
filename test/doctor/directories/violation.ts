/** A violation of a rule of a directory, and how tables of them are written. */
import type { DirectoryCode } from '../../../cli/directories/faults.ts'
import type { DirectoryInput } from '../../../cli/directories/input.ts'
import type { DirectoryName } from '../../../cli/directories/names.ts'
import { changed } from './clean.ts'

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
export const BOTH = [CLAUDE, OPENAI] as const
export const ALL = [CLAUDE, OPENAI, REGISTRY] as const

export const row = (
  code: DirectoryCode,
  what: string,
  input: DirectoryInput,
  ...refusedBy: readonly DirectoryName[]
): Violation => ({ what, code, input, refusedBy })

/** A change of one member. */
export const at = (
  code: DirectoryCode,
  path: string,
  value: unknown,
  ...refusedBy: readonly DirectoryName[]
): Violation =>
  row(code, `${path} is ${JSON.stringify(value)?.slice(0, 60)}`, changed(path, value), ...refusedBy)
