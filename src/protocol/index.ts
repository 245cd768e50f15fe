/** `edgeway/protocol`: types of the protocol that few authors name. */
export type { ClientCapabilities } from './capabilities.ts'
export type {
  Annotations,
  AudioContent,
  BlobResourceContents,
  EmbeddedResource,
  Icon,
  ImageContent,
  Implementation,
  Meta,
  PromptMessage,
  Resource,
  ResourceContents,
  ResourceLink,
  TextContent,
  TextResourceContents,
} from './content.ts'
export type { LogLevel } from './log-level.ts'
export type { TraceContext } from './meta.ts'
export type { GetPromptResult, ReadResourceResult, Tool, ToolAnnotations } from './primitives.ts'
export type { Era } from './revisions.ts'
