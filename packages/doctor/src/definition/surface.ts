/**
 * What a server shows to its clients: the one input of everything that judges or describes a definition, whether it was
 * read from a project or from a running server.
 */
import type { Implementation, Resource } from '../../../../src/protocol/content.ts'
import type { EventDescriptor } from '../../../../src/protocol/events.ts'
import type { Prompt, ResourceTemplateInfo, Tool } from '../../../../src/protocol/primitives.ts'

/** The lists in the newest revision, each in the order of the definition. */
export interface Surface {
  readonly info: Implementation
  readonly instructions?: string
  readonly tools: readonly Tool[]
  /** Deprecated tools that answer and are in no list. Only a project shows them. */
  readonly unlisted?: readonly Tool[]
  /**
   * The names of those of `tools` that the list of a client without capabilities does not have, such as those that
   * `search()` finds. Only a project shows them.
   */
  readonly hidden?: readonly string[]
  /** The scopes that entries need, by name or URI. Only a project shows them. */
  readonly scopes?: Readonly<
    Partial<Record<ScopedList, Readonly<Record<string, readonly string[]>>>>
  >
  readonly prompts: readonly Prompt[]
  readonly resources: readonly Resource[]
  readonly resourceTemplates: readonly ResourceTemplateInfo[]
  /** Empty without `events()`. */
  readonly events: readonly EventDescriptor[]
}

export type ScopedList = 'tools' | 'prompts' | 'resources' | 'resourceTemplates'
