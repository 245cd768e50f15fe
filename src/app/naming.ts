/** What an entry of this package serves, and how it names its apps. */
import type { RequiredBinding } from '../feature/required-bindings.ts'
import type { ServerFactory } from '../server/factory.ts'
import type { AnyServer } from '../server/mcp-server.ts'

/** A server or a factory of any type parameters. */
// biome-ignore lint/suspicious/noExplicitAny: the environment and the props are passed as they are
export type ServedSource = AnyServer | ServerFactory<any, any>

/** How an entry of this package names its apps, instead of by `audience` and paths. */
export interface AppNaming {
  /** Returns the audience of a server without the option, by its name. */
  readonly audienceOf?: (name: string) => string
  /** The paths that identify the server. */
  readonly paths?: readonly string[]
  /**
   * The paths of the URLs that it is called for, where these are moved to `path`. Empty: any. For `edgeway doctor`,
   * which compares them with the routes of the Worker.
   */
  readonly servedPaths?: readonly string[]
  /** The class whose objects are its sessions. Default: they are objects of `MCP_OBJECTS`. */
  readonly sessionClass?: RequiredBinding
  /** Whether it has the objects alone that all servers of a Worker share: the others run handlers of the class of the Worker. */
  readonly sharedObjectsOnly?: boolean
  /** The function whose option `features` an error names, instead of `createEdgeway`. */
  readonly call?: string
  /** Whether it is served at `path` alone, and not at paths that features bring. */
  readonly oneUrl?: boolean
}
