/** Resources and resource templates, as an author writes them. */
import type { Annotations, Icon, Meta, Resource, ResourceContents } from '../protocol/content.ts'
import type { ReadResourceResult } from '../protocol/primitives.ts'
import type { Context } from './context.ts'
import type { Variables } from './uri-template/match.ts'
import type { Visible } from './visibility.ts'

export interface ResourceConfig {
  readonly title?: string
  readonly description?: string
  readonly mimeType?: string
  readonly annotations?: Annotations
  /** Bytes of the raw content. Not for templates. */
  readonly size?: number
  readonly icons?: readonly Icon[]
  readonly _meta?: Meta
  /** Freshness of what is read, in milliseconds. Default 0. */
  readonly ttlMs?: number
  /** Whether what is read may be shared between principals. Default `private`. */
  readonly cacheScope?: 'public' | 'private'
  /** Scopes the access token must have to read it. */
  readonly scopes?: readonly string[]
  readonly visible?: Visible
}

/**
 * What reading may return: text or bytes (with the `mimeType` of the definition), one or several
 * contents, a whole result, or `undefined` where the resource does not exist.
 */
export type ResourceReturn =
  | string
  | Uint8Array
  | ResourceContents
  | readonly ResourceContents[]
  | ReadResourceResult
  | undefined

export type ReadResource<Env> = (
  uri: URL,
  ctx: Context<Env>,
) => ResourceReturn | Promise<ResourceReturn>

export type ReadTemplate<Env> = (
  uri: URL,
  variables: Variables,
  ctx: Context<Env>,
) => ResourceReturn | Promise<ResourceReturn>

/** One page of the resources that match a template. */
export interface ResourcePage {
  readonly resources: readonly Resource[]
  /** The author's own cursor; handed back, unread, in the next call. */
  readonly nextCursor?: string
}

/**
 * Lists what matches a template, for the caller of `ctx`: a page at a time with a cursor of its own,
 * or all of it. `limit` is how many more fit on the page being filled.
 * The cursor has been outside: one that makes no sense is answered by throwing a `ToolError`.
 */
export type ListTemplate<Env> = (
  ctx: Context<Env>,
  page: { readonly cursor: string | undefined; readonly limit: number },
) => ResourcePage | Promise<ResourcePage>
