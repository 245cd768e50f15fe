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

/** The rules of directories, by directory. */
export type DirectoryRules = Readonly<Partial<Record<DirectoryName, DirectoryRule>>>

/** Why a directory refuses a server, or advises against it. */
export interface DirectoryFault {
  /** What is wrong, in one sentence. */
  readonly meaning: string
  /** What to write instead. */
  readonly fix: string
  /** The directories that have the rule. */
  readonly directories: DirectoryRules
}

type Entry = Omit<DirectoryFault, 'directories'> & Partial<Pick<DirectoryFault, 'directories'>>

/** The faults of a group of the catalogue: an entry without directories has those of its group. */
export function directoryFaults<Code extends string>(
  directories: DirectoryRules,
  entries: Readonly<Record<Code, Entry>>,
): Readonly<Record<Code, DirectoryFault>> {
  const faults = Object.entries<Entry>(entries).map(([code, entry]) => [
    code,
    { directories, ...entry },
  ])
  return Object.fromEntries(faults)
}
