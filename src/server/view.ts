/** The types of the member `ui` of the config of a tool. */
import type { ToolAudience, ViewOrigins, ViewPermission } from '../protocol/apps.ts'
import type { GrantProps } from '../protocol/auth-info.ts'
import type { Meta } from '../protocol/content.ts'
import type { Context, NoMembers } from './context.ts'
import type { ResourceDefinition } from './definition.ts'
import type { AnyToolConfig } from './tool.ts'

export const DEFINE: unique symbol = Symbol('edgeway.view')

/** The value of `view()`. It brings the code that checks and compiles a view. */
export interface View<Env = unknown, Props = GrantProps, Members = NoMembers>
  extends ViewOptions<Env, Props, Members> {
  /** @internal */
  readonly [DEFINE]: {
    /** `_meta` of the tool. @throws {TypeError} that names the tool and the fault */
    meta(subject: string, own: Meta | undefined): Meta | undefined
    /** The resource of the view, if it has one. @throws {TypeError} that names the tool and the fault */
    resource(name: string, config: AnyToolConfig): ResourceDefinition | undefined
  }
}

/**
 * The user interface of a tool: a view, which hosts with MCP Apps show beside the result. All other
 * clients read the text of the result.
 *
 * @see https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx
 */
export interface ViewOptions<Env = unknown, Props = GrantProps, Members = NoMembers> {
  /**
   * The address of the view. It may be that of another tool's view or of a registered resource, and then
   * `html` is left out. A tool without a view, which only views call, has none.
   */
  readonly uri?: `ui://${string}`
  /**
   * The view: a whole HTML document, from `<!doctype html>` on, with its scripts and styles. At most
   * 4 MiB. A function builds it for each read. Data of the call does not belong here: the host passes
   * the arguments and the result of the call to the view.
   */
  readonly html?: string | ((ctx: Context<Env, Props, Members>) => string | Promise<string>)
  /** The display name of the view. */
  readonly title?: string
  /** What the view shows. ChatGPT passes it to the model, which then does not repeat it. */
  readonly description?: string
  /**
   * The origins that the view uses, such as `https://api.example.com` or `https://*.example.com`.
   * `connectDomains`: of requests and WebSockets. `resourceDomains`: of scripts, styles, images, fonts and
   * media. `frameDomains`: of nested frames. `baseUriDomains`: of the base URI. `redirectDomains`: to which ChatGPT opens links without
   * a question. Default: none.
   */
  readonly csp?: { readonly [Name in ViewOrigins | 'redirectDomains']?: readonly string[] }
  /** What the view may ask the browser for. Hosts may refuse it. */
  readonly permissions?: readonly ViewPermission[]
  /**
   * The origin that the host gives to the view, in the form that the host documents. A function returns that of the
   * host that reads the view, from `ctx.client` and the URL of the server in `ctx.env`; undefined leaves it to the host.
   */
  readonly domain?:
    | string
    | ((ctx: Context<Env, Props, Members>) => string | undefined | Promise<string | undefined>)
  /** Whether the host shows a border and a background around the view. Default: the host decides. */
  readonly prefersBorder?: boolean
  /**
   * Who may call the tool. `['app']` hides it from the model; views of this server call it. Hosts enforce
   * it: it does not restrict access as {@link ToolSettings.visible} does. Default: both.
   */
  readonly visibility?: readonly ToolAudience[]
  /** What ChatGPT shows while the tool runs and when it has ended, at most 64 characters each. */
  readonly invocation?: { readonly invoking?: string; readonly invoked?: string }
  /** How long clients may cache the view, in milliseconds. Default 0. */
  readonly ttlMs?: number
  /** Whether a cache may share the view between principals. Default `private`. */
  readonly cacheScope?: 'public' | 'private'
}
