/** The types of `registerResource`: configuration, read callbacks and list callbacks. */

import type { GrantProps } from '../protocol/auth-info.ts'
import type { Resource, ResourceContents } from '../protocol/content.ts'
import type { ReturnedContents } from '../protocol/primitives.ts'
import type { Context, NoMembers, ScopedContext } from './context.ts'
import type { DefaultEnv } from './default-env.ts'
import type { ExpandValues } from './uri-template/expand.ts'
import type { Variables } from './uri-template/match.ts'
import type { Visible } from './visibility.ts'

/** `size` is not for templates. */
export interface ResourceConfig<
  Props = GrantProps,
  Scopes extends readonly string[] = readonly string[],
> extends Omit<Resource, 'uri' | 'name'> {
  /** How long clients may cache the contents, in milliseconds (`ttlMs` of the result). Default 0. */
  readonly ttlMs?: number
  /** Whether a cache may share the contents between principals. Default `private`. */
  readonly cacheScope?: 'public' | 'private'
  /** Scopes that the access token must have for reading. */
  readonly scopes?: Scopes
  readonly visible?: Visible<Props>
}

/**
 * The return value of a read callback: text or bytes (sent with the `mimeType` of the definition), one
 * or several contents, a whole result, or `undefined` if the resource does not exist.
 */
export type ResourceReturn =
  | string
  | Uint8Array
  | ResourceContents
  | readonly ResourceContents[]
  | ReturnedContents
  | undefined

export type ReadResource<
  Env = DefaultEnv,
  Props = GrantProps,
  Scopes extends readonly string[] = readonly string[],
  Members = NoMembers,
> = (
  uri: URL,
  ctx: ScopedContext<Env, Props, Scopes, Members>,
) => ResourceReturn | Promise<ResourceReturn>

export type ReadTemplate<
  Env = DefaultEnv,
  Props = GrantProps,
  Scopes extends readonly string[] = readonly string[],
  Members = NoMembers,
> = (
  uri: URL,
  variables: Variables,
  ctx: ScopedContext<Env, Props, Scopes, Members>,
) => ResourceReturn | Promise<ResourceReturn>

/** One page of the resources that match a template. */
export interface ResourcePage {
  readonly resources: readonly Resource[]
  /** The author's cursor for the next page. The runtime returns it unchanged in the next call. */
  readonly nextCursor?: string
}

/**
 * Lists the resources that match a template, as far as the caller of `ctx` may see them: one page at a
 * time with the author's cursor, or all at once. `limit` is the number of items that fit on the page.
 * The cursor comes from the client: throw a `ToolError` if it is not valid. `expand` is that of the template.
 */
export type ListTemplate<Env = unknown, Props = GrantProps, Members = NoMembers> = (
  ctx: Context<Env, Props, Members>,
  page: {
    readonly cursor: string | undefined
    readonly limit: number
    readonly expand: (values: ExpandValues) => string
  },
) => ResourcePage | Promise<ResourcePage>
