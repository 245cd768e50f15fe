/**
 * What a server shows to its clients: the one input of everything that judges or describes a definition, whether it was
 * read from a project or from a running server.
 */
import type { Implementation, Resource } from '../../src/protocol/content.ts'
import type { EventDescriptor } from '../../src/protocol/events.ts'
import type { Prompt, ResourceTemplateInfo, Tool } from '../../src/protocol/primitives.ts'

/** The lists in the newest revision, each in the order of the definition. */
export interface Surface {
  readonly info: Implementation
  readonly instructions?: string
  readonly tools: readonly Tool[]
  /** Deprecated tools that answer and are in no list. Only a project shows them. */
  readonly unlisted?: readonly Tool[]
  readonly prompts: readonly Prompt[]
  readonly resources: readonly Resource[]
  readonly resourceTemplates: readonly ResourceTemplateInfo[]
  /** Empty without `events()`. */
  readonly events: readonly EventDescriptor[]
}
