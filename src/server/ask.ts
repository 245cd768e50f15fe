/** Asking the other side in the middle of a handler: what an author passes, and what comes back. */
import type {
  AudioContent,
  ContentBlock,
  ImageContent,
  Meta,
  TextContent,
} from '../protocol/content.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Tool } from '../protocol/primitives.ts'
import type { InferArguments, Schema } from './schema/standard-schema.ts'

/**
 * Names an ask, so that its answer finds it again when the handler is re-entered: 1 to 64 of
 * `A-Z a-z 0-9 _ - .`, once per handler. Without a key, one is made from the order and the content
 * of the ask; give keys where the order depends on anything that changes.
 */
interface Keyed {
  readonly key?: string
}

export interface ElicitForm<S extends Schema = Schema> extends Keyed {
  /** What is asked, for a person to read. */
  readonly message: string
  /**
   * A flat object of strings, numbers, booleans and choices: what a client can show as a form.
   *
   * @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#requested-schema
   */
  readonly schema: S
}

export interface ElicitUrl extends Keyed {
  readonly message: string
  /** Where the person goes; an `https:` address. What they do there does not pass through the client. */
  readonly url: string
  /**
   * Names it for `ctx.notify.elicitationComplete`, where the revision has that; 1 to 256 visible
   * ASCII characters, never used before. Default: a random one.
   */
  readonly elicitationId?: string
}

/** What a person did with a form. */
export type ElicitResult<Content> =
  | { readonly action: 'accept'; readonly content: Content }
  | { readonly action: 'decline' | 'cancel'; readonly content?: undefined }

/** What a person did with an address: accepting means going there, not having finished. */
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

export interface ToolResultContent {
  readonly type: 'tool_result'
  readonly toolUseId: string
  readonly content: readonly ContentBlock[]
  readonly structuredContent?: unknown
  readonly isError?: boolean
  readonly _meta?: Meta
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
export interface CreateMessageRequest extends Keyed {
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
  /** Needs the client's `sampling.tools`. */
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
