/**
 * Content blocks, resources and implementations in the neutral model, which is the newest wire form. What
 * an author builds is mutable.
 */
import type { JsonObject } from './json.ts'

/** @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources#annotations */
export interface Annotations {
  audience?: readonly ('user' | 'assistant')[]
  /** 0 (entirely optional) to 1 (effectively required). */
  priority?: number
  /** ISO 8601. */
  lastModified?: string
}

/** @see https://modelcontextprotocol.io/specification/2026-07-28/basic/index#icons */
export interface Icon {
  /** An `https:`, `http:` or `data:` URI. */
  src: string
  mimeType?: string
  /** `48x48`, or `any` for a scalable format. */
  sizes?: readonly string[]
  theme?: 'light' | 'dark'
}

export type Meta = { [key: string]: unknown }

/** What every item of a list says of itself to people and models. */
export interface ListedFields {
  title?: string
  description?: string
  icons?: readonly Icon[]
  _meta?: Meta
}

/** The members that every content block may have. */
export interface ContentBlockFields {
  annotations?: Annotations
  _meta?: Meta
}

export interface TextContent extends ContentBlockFields {
  type: 'text'
  text: string
}

export interface ImageContent extends ContentBlockFields {
  type: 'image'
  /** Base64. */
  data: string
  mimeType: string
}

export interface AudioContent extends ContentBlockFields {
  type: 'audio'
  /** Base64. */
  data: string
  mimeType: string
}

/** The members that text and binary contents share. */
export interface ResourceContentsFields {
  uri: string
  mimeType?: string
  _meta?: Meta
}

export interface TextResourceContents extends ResourceContentsFields {
  text: string
  blob?: undefined
}

export interface BlobResourceContents extends ResourceContentsFields {
  /** Base64. */
  blob: string
  text?: undefined
}

export type ResourceContents = TextResourceContents | BlobResourceContents

export interface EmbeddedResource extends ContentBlockFields {
  type: 'resource'
  resource: ResourceContents
}

/** An item of `resources/list`. */
export interface Resource extends ListedFields {
  uri: string
  name: string
  mimeType?: string
  annotations?: Annotations
  /** Size of the raw content in bytes, before base64. */
  size?: number
}

export interface ResourceLink extends Resource {
  type: 'resource_link'
}

export type ContentBlock =
  | TextContent
  | ImageContent
  | AudioContent
  | ResourceLink
  | EmbeddedResource

export interface PromptMessage {
  role: 'user' | 'assistant'
  content: ContentBlock
}

/** The name and version of a program. Self-reported: use it for display and logs, never for a decision. */
export interface Implementation extends Readonly<Omit<ListedFields, '_meta'>> {
  readonly name: string
  readonly version: string
  readonly websiteUrl?: string
}

/** A JSON Schema, sent unchanged. */
export type JsonSchema = JsonObject
