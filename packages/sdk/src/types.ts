/** The types of the SDK under its names. What a handler builds is mutable. */
import type {
  AudioContent,
  Icon,
  ImageContent,
  ListedFields,
  Meta,
  Resource,
  TextContent,
} from '../../../src/protocol/content.ts'
import type { LogLevel } from '../../../src/protocol/log-level.ts'
import type {
  GetPromptResult as PromptResult,
  ReadResourceResult as ReadResult,
  ToolAnnotations,
  CallToolResult as ToolResult,
} from '../../../src/protocol/primitives.ts'
import type { ToolResultContent, ToolUseContent } from '../../../src/server/ask.ts'
import type { AnySchema } from './schema.ts'
import type { RequiredScopes } from './scopes.ts'

export type RequestId = string | number
export type ProgressToken = string | number
export type LoggingLevel = LogLevel

export interface Result {
  _meta?: Meta
  [member: string]: unknown
}
export type EmptyResult = Result

export interface CallToolResult extends ToolResult {
  [member: string]: unknown
}
export interface GetPromptResult extends PromptResult {
  [member: string]: unknown
}
export interface ReadResourceResult extends ReadResult {
  [member: string]: unknown
}
export interface ListPage extends Result {
  nextCursor?: string
}
export interface ListResourcesResult extends ListPage {
  resources: Resource[]
}
export interface CompleteResult extends Result {
  completion: { values: string[]; total?: number; hasMore?: boolean }
}

/** The JSON Schema of the arguments or of the structured content of a tool. */
export interface ToolSchema {
  type: 'object'
  properties?: { [name: string]: object }
  required?: string[]
  [keyword: string]: unknown
}
/** What the items of lists have in common. */
export interface ListedItem extends Omit<ListedFields, 'icons'> {
  name: string
  icons?: Icon[]
}
/** A tool as a list has it. */
export interface Tool extends ListedItem {
  inputSchema: ToolSchema
  outputSchema?: ToolSchema
  annotations?: ToolAnnotations
  execution?: { taskSupport?: 'forbidden' | 'optional' | 'required' }
}

/** A request from the server to the client. */
export interface ServerRequest {
  method: string
  params?: object
}
/** A notification from the server to the client. */
export interface ServerNotification {
  method: string
  params?: object
}

/** The options of a request to the client. Edgeway has its own timeouts, and ignores them. */
export interface RequestOptions {
  timeout?: number
  maxTotalTimeout?: number
  resetTimeoutOnProgress?: boolean
  signal?: AbortSignal
  onprogress?: (progress: { progress: number; total?: number; message?: string }) => void
  relatedRequestId?: RequestId
  /** A request always belongs to the task of its handler. */
  relatedTask?: { taskId: string }
}

/** The options of a notification. A notification always belongs to the request of its handler. */
export interface NotificationOptions {
  relatedRequestId?: RequestId
  relatedTask?: { taskId: string }
}

export interface RequestMeta {
  progressToken?: ProgressToken
  [member: string]: unknown
}

/** The verified caller. */
export interface AuthInfo {
  /**
   * The access token. Reading it throws unless `verifier()` exposes it (`exposeToken`): tokens of Edgeway
   * are for Edgeway alone.
   */
  readonly token: string
  readonly clientId: string
  readonly scopes: string[]
  /** Never present: Edgeway checks the expiry. */
  readonly expiresAt?: number
  readonly resource?: URL
  /** The props of the grant. */
  readonly extra?: Record<string, unknown>
  /** The person or service that the token was issued for. Not in the SDK. */
  readonly subject: string
  /** The issuer of the token. Not in the SDK. */
  readonly issuer: string
}

export interface RequestInfo {
  /** Without credentials. */
  headers: Record<string, string | string[] | undefined>
}

export interface ClientCapabilities {
  experimental?: Record<string, object>
  extensions?: Record<string, object>
  sampling?: { context?: object; tools?: object }
  elicitation?: { form?: { applyDefaults?: boolean }; url?: object }
  roots?: { listChanged?: boolean }
  tasks?: object
}

/** Edgeway declares what is registered. */
export interface ServerCapabilities {
  experimental?: Record<string, object>
  extensions?: Record<string, object>
  logging?: object
  completions?: object
  prompts?: { listChanged?: boolean }
  resources?: { subscribe?: boolean; listChanged?: boolean }
  tools?: { listChanged?: boolean }
  tasks?: object
}

export interface Root {
  uri: string
  name?: string
  _meta?: Meta
}
export interface ListRootsResult extends Result {
  roots: Root[]
}

export type SamplingMessageContentBlock =
  | TextContent
  | ImageContent
  | AudioContent
  | ToolUseContent
  | ToolResultContent
export interface SamplingMessage {
  role: 'user' | 'assistant'
  content: SamplingMessageContentBlock | SamplingMessageContentBlock[]
  _meta?: Meta
}
export interface CreateMessageRequestParams {
  messages: SamplingMessage[]
  maxTokens: number
  systemPrompt?: string
  modelPreferences?: {
    hints?: { name?: string }[]
    costPriority?: number
    speedPriority?: number
    intelligencePriority?: number
  }
  includeContext?: 'none' | 'thisServer' | 'allServers'
  temperature?: number
  stopSequences?: string[]
  metadata?: object
  tools?: Tool[]
  toolChoice?: { mode?: 'auto' | 'required' | 'none' }
  _meta?: Meta
}
export interface CreateMessageRequest {
  method: 'sampling/createMessage'
  params: CreateMessageRequestParams
}
interface ModelResult extends Result {
  model: string
  stopReason?: string
  role: 'user' | 'assistant'
}
export interface CreateMessageResult extends ModelResult {
  content: TextContent | ImageContent | AudioContent
}
/** The result of a sampling request with tools. */
export interface CreateMessageResultWithTools extends ModelResult {
  content: SamplingMessageContentBlock | SamplingMessageContentBlock[]
}

export interface ElicitRequestFormParams {
  mode?: 'form'
  message: string
  /** A JSON Schema, or a schema of a library. */
  requestedSchema:
    | { type: 'object'; properties: Record<string, object>; required?: string[] }
    | AnySchema
  _meta?: Meta
}
export interface ElicitRequestURLParams {
  mode: 'url'
  message: string
  url: string
  elicitationId: string
  _meta?: Meta
}
export type ElicitRequestParams = ElicitRequestFormParams | ElicitRequestURLParams
export interface ElicitRequest {
  method: 'elicitation/create'
  params: ElicitRequestParams
}
export interface ElicitResult extends Result {
  action: 'accept' | 'decline' | 'cancel'
  content?: Record<string, string | number | boolean | string[]>
}

/** The results of the requests to the client, by method. */
export interface ClientResults {
  'elicitation/create': ElicitResult
  'sampling/createMessage': CreateMessageResult
  'roots/list': ListRootsResult
}
/** The result of a request to the client. */
export type ClientResult<Method> = Method extends keyof ClientResults
  ? ClientResults[Method]
  : EmptyResult

/** The schema of one field of a form. */
export interface PrimitiveSchemaDefinition {
  type: 'string' | 'number' | 'integer' | 'boolean' | 'array'
  title?: string
  description?: string
  [keyword: string]: unknown
}

export interface LoggingMessageParams {
  level: LoggingLevel
  logger?: string
  data: unknown
}

/** The metadata of a resource or resource template. */
export interface ResourceMetadata extends Omit<Resource, 'uri' | 'name'>, RequiredScopes {
  /** How long clients may cache the contents (SDK 2.x). */
  cacheHint?: { ttlMs?: number; cacheScope?: 'public' | 'private' }
  [member: string]: unknown
}

export type {
  Annotations,
  AudioContent,
  BlobResourceContents,
  ContentBlock,
  EmbeddedResource,
  Icon,
  ImageContent,
  Implementation,
  PromptMessage,
  Resource,
  ResourceContents,
  ResourceLink,
  TextContent,
  TextResourceContents,
} from '../../../src/protocol/content.ts'
export type { Prompt, PromptArgument, ToolAnnotations } from '../../../src/protocol/primitives.ts'
export type { ToolResultContent, ToolUseContent } from '../../../src/server/ask.ts'
