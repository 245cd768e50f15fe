/** What `createEdgeway` returns. */
import type { DurableObject } from 'cloudflare:workers'
import type { Hono } from 'hono/tiny'
import type { Admin } from '../admin/admin.ts'
import type { Notify } from '../server/context.ts'
import type { TaskControl } from '../server/task-control.ts'
import type { TimelineControl } from '../timeline/timeline-control.ts'
import type { WaitUntil } from '../transport/entrance.ts'

/** A Durable Object class of Edgeway. Only Edgeway calls its methods. */
export type EdgewayObjectClass = new (
  ctx: DurableObjectState,
  env: Cloudflare.Env,
) => DurableObject<Cloudflare.Env>

export interface Edgeway<Env = unknown> {
  /** The `fetch` handler of the Worker. */
  readonly fetch: (request: Request, env: Env, ctx: WaitUntil) => Response | Promise<Response>
  /**
   * Publishes changes to listeners from outside a handler, such as a cron or a queue consumer:
   * `await edgeway.notify(env).resourceUpdated('note://a')`.
   */
  readonly notify: (env: Env) => Notify
  /** The tasks, from outside a handler: deliver events, look at a task, end it. */
  readonly tasks: (env: Env) => TaskControl
  /**
   * The connection timeline of the option `timeline`.
   *
   * @throws {TypeError} without the option, and without the binding `MCP_KEYRING`
   */
  readonly timeline: (env: Env) => TimelineControl
  /**
   * What an operator does, from the author's own code. No caller is checked.
   *
   * @throws {TypeError} without the option `admin`
   */
  readonly admin: (env: Env) => Admin
  /** The Durable Object classes. The Worker's entry must export them under these names. */
  readonly objects: {
    readonly McpHub: EdgewayObjectClass
    readonly McpKeyring: EdgewayObjectClass
    readonly McpSession: EdgewayObjectClass
    readonly McpTask: EdgewayObjectClass
    readonly McpState: EdgewayObjectClass
    readonly McpAccount: EdgewayObjectClass
  }
  /** The app behind `fetch`, to mount in another app or to extend. */
  readonly app: Hono<{ Bindings: Env & object }>
}
