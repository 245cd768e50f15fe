/** The types of asks: what a handler passes to `ctx.elicit`, `ctx.sample` and `ctx.listRoots`, and what it gets back. */
import type { AudioContent, ImageContent, Meta, TextContent } from '../protocol/content.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { ReturnedToolResult, Tool } from '../protocol/primitives.ts'
import type { InferArguments, Schema } from './schema/standard-schema.ts'

/** The option that every ask has. */
export interface AskOptions {
  /**
   * Identifies the ask, so that its answer is found when the handler runs again. 1 to 64 of the
   * characters `A-Z a-z 0-9 _ - .`, unique in the handler. Default: derived from the order and the
   * content of the ask. Set a key when the order of asks can change between two runs.
   */
  readonly key?: string
}

export interface ElicitForm<S extends Schema = Schema> extends AskOptions {
  /** The question, shown to the person. */
  readonly message: string
  /**
   * A flat object schema of strings, numbers, booleans and choices, which clients show as a form.
   *
   * @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#requested-schema
   */
  readonly schema: S
  /**
   * Whether the model of a client that cannot be asked may put the question to the person in the conversation, and pass on
   * the answer: the call answers with the question, and goes on with the tool `answer_question`. An injected page can make a
   * model answer by itself, so never for what only the person may decide. It needs `tasks()`. Default: as the option
   * `throughModel` of the tool, else of `asks()`, says. True is for one question of a tool whose others do not go this way; the
   * list has `answer_question` where a tool says it.
   */
  readonly throughModel?: boolean
}

export interface ElicitUrl extends AskOptions {
  readonly message: string
  /** The `https:` URL to open. What the person enters there does not pass through the client. */
  readonly url: string
  /**
   * The id to pass to `ctx.notify.elicitationComplete` later, in revisions that have it. 1 to 256
   * visible ASCII characters, never used before. Default: a random id.
   */
  readonly elicitationId?: string
}

/**
 * What the person did with the form. `content` is validated against the schema of the ask. `via` is there where the model of
 * the client has passed the answer on.
 */
export type ElicitResult<Content> =
  | { readonly action: 'accept'; readonly content: Content; readonly via?: 'model' }
  | { readonly action: 'decline' | 'cancel'; readonly content?: undefined; readonly via?: 'model' }

/** What the person did with the URL. `accept` means that the URL was opened, not that the person has finished there. */
export interface ElicitUrlResult {
  readonly action: 'accept' | 'decline' | 'cancel'
}

export type ElicitContent<S> = InferArguments<S>

export interface ToolUseContent {
  readonly type: 'tool_use'
  readonly id: string
  readonly name: string
  readonly input: JsonObject
  readonly _meta?: Meta
}

export interface ToolResultContent extends ReturnedToolResult {
  readonly type: 'tool_result'
  readonly toolUseId: string
}

export type SamplingContent =
  | TextContent
  | ImageContent
  | AudioContent
  | ToolUseContent
  | ToolResultContent

export interface SamplingMessage {
  readonly role: 'user' | 'assistant'
  readonly content: SamplingContent | readonly SamplingContent[]
  readonly _meta?: Meta
}

/** @see https://modelcontextprotocol.io/specification/2026-07-28/client/sampling */
export interface CreateMessageRequest extends AskOptions {
  readonly messages: readonly SamplingMessage[]
  readonly maxTokens: number
  readonly systemPrompt?: string
  readonly modelPreferences?: {
    readonly hints?: readonly { readonly name?: string }[]
    readonly costPriority?: number
    readonly speedPriority?: number
    readonly intelligencePriority?: number
  }
  readonly includeContext?: 'none' | 'thisServer' | 'allServers'
  readonly temperature?: number
  readonly stopSequences?: readonly string[]
  readonly metadata?: JsonObject
  /** Requires the client capability `sampling.tools`. */
  readonly tools?: readonly Tool[]
  readonly toolChoice?: { readonly mode?: 'auto' | 'required' | 'none' }
}

export interface CreateMessageResult extends SamplingMessage {
  readonly model: string
  readonly stopReason?: string
}

export interface Root {
  /** A `file:` URI. */
  readonly uri: string
  readonly name?: string
}
