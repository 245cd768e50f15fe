/** What a directory refuses a server for, or advises against. */
import type { DirectoryCode } from './catalogue.ts'

export interface DirectoryFinding {
  /** Stable: an entry of the catalogue in `catalogue.ts`. */
  readonly code: DirectoryCode
  /** The directory refuses a server with an error. It accepts one with warnings. */
  readonly severity: 'error' | 'warning'
  /** The tool, where one is at fault. */
  readonly tool?: string
  readonly message: string
  /** The rule of the directory, and where it can be read. */
  readonly clause: string
  /** What to write. */
  readonly fix: string
}
