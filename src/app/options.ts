/** The options of `createEdgeway`. */
import type { ChangeBusOptions } from '../../durable-objects/hub/change-bus-options.ts'
import type { AuthConfig } from '../auth/auth-config.ts'
import type { DefinitionShare } from '../dispatch/definitions.ts'
import type { EmbeddedAuth } from '../embedded.ts'
import type { InspectorConfig } from '../inspect/inspector-config.ts'
import type { Implementation } from '../protocol/content.ts'
import type { RateLimitOptions } from '../rate-limits/limit-classes.ts'
import type { TelemetryOption } from '../telemetry/create-telemetry.ts'
import type { TimelineConfig } from '../timeline/timeline-config.ts'
import type { HttpSseOptions } from '../transport/http-sse/paths.ts'
import type { Limits } from '../transport/limits.ts'
import type { AdminConfig } from './admin/admin-config.ts'
import type { FilesConfig } from './files/files-config.ts'
import type { LandingPageOptions } from './landing-page/options.ts'

export interface EdgewayOptions {
  /** Path of the endpoint, served with and without a trailing slash. Default `/mcp`. */
  readonly path?: string
  /**
   * Paths of the 2024-11-05 transport: a stream, default `/sse`, and one for messages, default
   * `/messages`. They may have params, the same ones; when every path of the endpoint has params, the
   * defaults have those of `path`: `/sse/{org}`. The stream may have the path of the endpoint: a GET
   * without a session id then opens it. False serves neither.
   */
  readonly httpSse?: HttpSseOptions | false
  /** Further paths of the same server. With authorization, each is a resource of its own. */
  readonly otherPaths?: readonly string[]
  /**
   * Who may call: `embedded(…)` with an authorization server in this Worker, `external(…)` with
   * another one, `verifier(…)` with a function of your own, `fromContext(…)` with code in front of
   * `fetch`. Default: no authorization.
   */
  readonly auth?: AuthConfig | EmbeddedAuth
  /**
   * Origins of web pages that may use the endpoint on a host that is not loopback, such as
   * `https://app.example`; `*` for all. Default: all where every request needs
   * a token, else the server's own origin.
   */
  readonly allowedOrigins?: readonly string[]
  /**
   * Refuses the modern revision, so that its clients use an older one, for a server whose handlers need a
   * session. Default false.
   */
  readonly sessionsOnly?: boolean
  /**
   * Refuses the revisions before 2026-07-28, whose clients open sessions, and does not serve the transport of
   * 2024-11-05. Default false.
   */
  readonly modernOnly?: boolean
  /** Host names that are served over plain `http:` besides loopback names. */
  readonly allowedHosts?: readonly string[]
  /** Refuses the client faults that are otherwise served and reported as leniencies. Default false. */
  readonly strict?: boolean
  /**
   * `trust-body` serves a valid modern request whose version header names an older revision: one
   * hosted client sends such requests. Default `strict`: refused, as the specification requires.
   */
  readonly headerMismatch?: 'strict' | 'trust-body'
  /**
   * The name that seals and changes are bound to. Each of several servers of one Worker needs its own. Default: the
   * server's name.
   */
  readonly audience?: string
  /**
   * The binding of the session objects. Each of several servers of one Worker needs its own, because its
   * handlers run in its own class: an object refuses the requests of another server. Default `MCP_SESSION`.
   */
  readonly sessionBinding?: string
  /** The binding of the task objects, with the same rule. Default `MCP_TASK`. */
  readonly taskBinding?: string
  /** Sizes, times and counts of the endpoint. Default of each: see {@link Limits}. */
  readonly limits?: Partial<Limits>
  /**
   * How many requests a principal, a network and the callers of a tool may send. Default: see
   * `docs/guides/limits.md`. False lifts all of them.
   */
  readonly rateLimits?: RateLimitOptions | false
  /** The number of hub shards, and their limits. */
  readonly hub?: ChangeBusOptions
  /**
   * The page for people at `/`: what the server offers, and how to add it to clients. A route of the author
   * at `/` of `app` replaces it. False serves none.
   */
  readonly landingPage?: LandingPageOptions | false
  /**
   * Receives telemetry events: a function, a sink that also receives those of requests, or a list of both.
   * Default: errors and warnings are written to the console.
   */
  readonly telemetry?: TelemetryOption
  /** `timeline()` records how clients connect and where they stop. Default: nothing is recorded. */
  readonly timeline?: TimelineConfig
  /**
   * `inspector()` of `edgeway/inspector` serves a page at `/inspect` that shows what requests do. It has the
   * timeline too. Default: there is no inspector.
   */
  readonly inspector?: InspectorConfig
  /** `files()` brings `ctx.file`, `ctx.page` and `ctx.upload`. Default: they throw. */
  readonly files?: FilesConfig
  /**
   * `admin()` is what an operator does, for `edgeway.admin(env)`. With `owners` or `scope` it is served over HTTP,
   * for `npx edgeway admin`. Default: none of both.
   */
  readonly admin?: AdminConfig
  /**
   * The path of the health endpoint; false serves none. A route of the author at this path of `app` replaces
   * it. Default `/health`, unless a path of the endpoint matches it.
   */
  readonly health?: string | false
}

/** The options of a server whose definition a factory builds. */
export interface FactoryOptions extends EdgewayOptions {
  /**
   * Name, version, title and icons. They replace those of the servers that the factory returns. Without
   * them, clients see those of the server of each caller, and `audience` is required.
   */
  readonly info?: Implementation
  /**
   * Who shares a definition. `caller`: all requests of a caller with the same params. `session`: the
   * requests of one session, for a factory whose results keep data of their session in memory; a request
   * that does not run in a session object then has a definition of its own. Default `caller`.
   */
  readonly definitionPer?: DefinitionShare
  /** Query parameters that are params of the factory, such as `readonly`. Their order has no meaning. */
  readonly queryParams?: readonly string[]
}
