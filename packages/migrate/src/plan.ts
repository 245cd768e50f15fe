/** What a run of `edgeway migrate` would do: the edits of files, and what it says about them. */

/** A file with its contents before and after. Without `before`, the file is new. */
export interface FileEdit {
  /** Relative to the folder, with slashes. */
  readonly file: string
  readonly before?: string
  readonly after: string
}

/** A place in a file. Lines and columns begin with 1. */
export interface Place {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** What the command does not do, because a person must decide or write it. */
export interface Decision extends Place {
  /** The kind of decision: a stable name. */
  readonly code: DecisionCode
  /** What was found and why it matters, in a sentence. */
  readonly why: string
  /** A page of the package and its anchor. */
  readonly guide: string
}

export type DecisionCode =
  | 'agent-member'
  | 'ask-runs-again'
  | 'authorization'
  | 'binding-missing'
  | 'caller-token'
  | 'changes-need-feature'
  | 'configuration-missing'
  | 'connects-transport'
  | 'dependency'
  | 'entry-elsewhere'
  | 'feature-needed'
  | 'generated-declarations'
  | 'handler-option'
  | 'internal-member'
  | 'migration-needed'
  | 'mocked-module'
  | 'module-as-a-whole'
  | 'module-unknown'
  | 'name-not-carried'
  | 'node-only'
  | 'other-framework'
  | 'other-handler'
  | 'outside-of-calls'
  | 'path-not-served'
  | 'questions-need-keys'
  | 'registration-in-handler'
  | 'reserved-method'
  | 'server-elsewhere'
  | 'server-not-reached'
  | 'session-ends-with-props'
  | 'task-tools'
  | 'transport'

const GUIDES = 'node_modules/edgeway/docs/guides'

/** The place of a section in the guides of the installed package. */
export const guide = {
  moving: (anchor: string) => `${GUIDES}/migrate.md#${anchor}`,
  testing: `${GUIDES}/testing.md`,
} as const

export interface Plan {
  /** The absolute path of the folder. */
  readonly folder: string
  /** What the project is moved from, as people name it. */
  readonly from: readonly string[]
  readonly edits: readonly FileEdit[]
  readonly decisions: readonly Decision[]
  /** What a person should know, without a decision. */
  readonly notes: readonly string[]
  /** The commands that come after the edits. */
  readonly next: readonly string[]
}
