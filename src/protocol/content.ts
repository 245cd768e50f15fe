/** Content blocks, resources and implementations in the neutral model, which is the newest wire form. */
import type { JsonObject } from './json.ts'

/** @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources#annotations */
export interface Annotations {
  readonly audience?: readonly ('user' | 'assistant')[]
  /** 0 (entirely optional) to 1 (effectively required). */
  readonly priority?: number
  /** ISO 8601. */
  readonly lastModified?: string
}

/** @see https://modelcontextprotocol.io/specification/2026-07-28/basic/index#icons */
export interface Icon {
  /** An `https:`, `http:` or `data:` URI. */
  readonly src: string
  readonly mimeType?: string
  /** `48x48`, or `any` for a scalable format. */
  readonly sizes?: readonly string[]
  readonly theme?: 'light' | 'dark'
}

export type Meta = { readonly [key: string]: unknown }

/** The members that every content block may have. */
export interface ContentBlockFields {
  readonly annotations?: Annotations
  readonly _meta?: Meta
}

export interface TextContent extends ContentBlockFields {
  readonly type: 'text'
  readonly text: string
}

export interface ImageContent extends ContentBlockFields {
  readonly type: 'image'
  /** Base64. */
  readonly data: string
  readonly mimeType: string
}

export interface AudioContent extends ContentBlockFields {
  readonly type: 'audio'
  /** Base64. */
  readonly data: string
  readonly mimeType: string
}

/** The members that text and binary contents share. */
export interface ResourceContentsFields {
  readonly uri: string
  readonly mimeType?: string
  readonly _meta?: Meta
}

export interface TextResourceContents extends ResourceContentsFields {
  readonly text: string
  readonly blob?: undefined
}

export interface BlobResourceContents extends ResourceContentsFields {
  /** Base64. */
  readonly blob: string
  readonly text?: undefined
}

export type ResourceContents = TextResourceContents | BlobResourceContents

export interface EmbeddedResource extends ContentBlockFields {
  readonly type: 'resource'
  readonly resource: ResourceContents
}

/** An item of `resources/list`. */
export interface Resource {
  readonly uri: string
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly mimeType?: string
  readonly annotations?: Annotations
  /** Size of the raw content in bytes, before base64. */
  readonly size?: number
  readonly icons?: readonly Icon[]
  readonly _meta?: Meta
}

export interface ResourceLink extends Resource {
  readonly type: 'resource_link'
}

export type ContentBlock =
  | TextContent
  | ImageContent
  | AudioContent
  | ResourceLink
  | EmbeddedResource

export interface PromptMessage {
  readonly role: 'user' | 'assistant'
  readonly content: ContentBlock
}

/** The name and version of a program. Self-reported: use it for display and logs, never for a decision. */
export interface Implementation {
  readonly name: string
  readonly version: string
  readonly title?: string
  readonly description?: string
  readonly websiteUrl?: string
  readonly icons?: readonly Icon[]
}

/** A JSON Schema, sent unchanged. */
export type JsonSchema = JsonObject
