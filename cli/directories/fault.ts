/** The shape of an entry of the catalogue of directory faults (`faults.ts`). */
import type { DirectoryName } from './names.ts'

/** What one directory says of a fault. */
export interface DirectoryRule {
  /** The directory refuses a server with an error. It accepts one with warnings. */
  readonly severity: 'error' | 'warning'
  /** The rule, in the words of its page. */
  readonly clause: string
  /** Where it can be read. */
  readonly source: string
}

/** Why a directory refuses a server, or advises against it. */
export interface DirectoryFault {
  /** What is wrong, in one sentence. */
  readonly meaning: string
  /** What to write instead. */
  readonly fix: string
  /** The directories that have the rule. */
  readonly directories: Readonly<Partial<Record<DirectoryName, DirectoryRule>>>
}

/** The faults of a group of the catalogue. */
export const directoryFaults = <Code extends string>(
  entries: Readonly<Record<Code, DirectoryFault>>,
): Readonly<Record<Code, DirectoryFault>> => entries
