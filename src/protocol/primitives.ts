/** List items and results of tools, resource templates and prompts in the neutral model. */
import type {
  ContentBlock,
  JsonSchema,
  ListedFields,
  Meta,
  PromptMessage,
  Resource,
  ResourceContents,
} from './content.ts'

/** Hints for the client; they are not guarantees. @see https://modelcontextprotocol.io/specification/2026-07-28/schema#toolannotations */
export interface ToolAnnotations {
  readonly title?: string
  readonly readOnlyHint?: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  readonly openWorldHint?: boolean
}

export interface Tool extends Readonly<ListedFields> {
  readonly name: string
  readonly inputSchema: JsonSchema
  readonly outputSchema?: JsonSchema
  readonly annotations?: ToolAnnotations
  /** Revision 2025-11-25 only. @see https://modelcontextprotocol.io/specification/2025-11-25/schema#toolexecution */
  readonly execution?: { readonly taskSupport: 'optional' | 'required' }
}

export interface ResourceTemplateInfo extends Readonly<Omit<Resource, 'uri' | 'size'>> {
  readonly uriTemplate: string
}

export interface PromptArgument extends Readonly<Pick<ListedFields, 'title' | 'description'>> {
  readonly name: string
  readonly required?: boolean
}

export interface Prompt extends Readonly<ListedFields> {
  readonly name: string
  readonly arguments?: readonly PromptArgument[]
}

/** Caching hints of a result. */
export interface CacheHints {
  /** How long the result is fresh, in milliseconds. An integer of at least 0. */
  readonly ttlMs: number
  readonly cacheScope: 'public' | 'private'
}

export interface CallToolResult {
  content: ContentBlock[]
  structuredContent?: unknown
  isError?: boolean
  _meta?: Meta
}

/** {@link CallToolResult} as a handler may return it: its list may be a constant. */
export interface ReturnedToolResult extends Readonly<Omit<CallToolResult, 'content'>> {
  readonly content: readonly ContentBlock[]
}

export interface ReadResourceResult {
  contents: ResourceContents[]
  _meta?: Meta
}

/** {@link ReadResourceResult} as a callback may return it: its list may be a constant. */
export interface ReturnedContents extends Readonly<Omit<ReadResourceResult, 'contents'>> {
  readonly contents: readonly ResourceContents[]
}

export interface GetPromptResult {
  description?: string
  messages: PromptMessage[]
  _meta?: Meta
}

/** {@link GetPromptResult} as a handler may return it: its list may be a constant. */
export interface ReturnedPrompt extends Readonly<Omit<GetPromptResult, 'messages'>> {
  readonly messages: readonly PromptMessage[]
}

export interface CompleteResult {
  readonly completion: {
    /** At most 100. */
    readonly values: readonly string[]
    readonly total?: number
    readonly hasMore?: boolean
  }
}

/** The item types of the four lists, by method. */
export interface ListItems {
  readonly 'tools/list': Tool
  readonly 'prompts/list': Prompt
  readonly 'resources/list': Resource
  readonly 'resources/templates/list': ResourceTemplateInfo
}

export type ListMethod = keyof ListItems

/** The member of each list result that contains the items. */
export const LIST_MEMBER: Readonly<Record<ListMethod, string>> = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
}
