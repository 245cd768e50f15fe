/** What a directory refuses a server for, or advises against. */
import type { DirectoryRule } from './fault.ts'
import { DIRECTORY_FAULTS, type DirectoryCode } from './faults.ts'
import type { DirectoryInput } from './input.ts'
import type { DirectoryName } from './names.ts'

export interface DirectoryFinding {
  /** Stable: an entry of the catalogue (`faults.ts`). */
  readonly code: DirectoryCode
  /** The directory refuses a server with an error. It accepts one with warnings. */
  readonly severity: DirectoryRule['severity']
  /** The tool, where one is at fault. */
  readonly tool?: string
  readonly message: string
  /** The rule of the directory, and where it can be read. */
  readonly clause: string
  /** What to write. */
  readonly fix: string
}

/** A fault as a rule finds it. */
export interface Detected {
  readonly code: DirectoryCode
  readonly tool?: string
  /** What was seen, with the values of the server made printable, as a sentence without its full stop. */
  readonly seen: string
  /** For a sign that proves nothing, instead of the severity of the catalogue. */
  readonly isDoubtful?: boolean
}

/** Pure, of what was read before. A rule does not apply while a member that it needs is absent. */
export type Rule = (input: DirectoryInput, directory: DirectoryName) => readonly Detected[]

/** Undefined where the directory has no such rule. */
export function findingOf(
  { code, tool, seen, isDoubtful = false }: Detected,
  directory: DirectoryName,
): DirectoryFinding | undefined {
  const { meaning, fix, directories } = DIRECTORY_FAULTS[code]
  const rule = directories[directory]
  if (rule === undefined) return undefined
  return {
    code,
    severity: isDoubtful ? 'warning' : rule.severity,
    tool,
    message: `${meaning} ${seen}.`,
    clause: `${rule.clause} (${rule.source})`,
    fix,
  }
}
