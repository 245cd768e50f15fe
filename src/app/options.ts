/** The options of `createEdgeway`. */

import type { DefinitionShare } from '../dispatch/definitions.ts'
import type { AuthConfig } from '../feature/auth-config.ts'
import type { FeatureOption } from '../feature/feature.ts'
import type { Limits } from '../ports/app-limits.ts'
import type { Implementation } from '../protocol/content.ts'
import type { TelemetryOption } from '../telemetry/create-telemetry.ts'

export interface EdgewayOptions<
  Features extends readonly FeatureOption[] = readonly FeatureOption[],
> {
  /**
   * Path of the endpoint, served with and without a trailing slash, or several of the same server. With
   * authorization, each is a resource of its own. Default `/mcp`.
   */
  readonly path?: string | readonly string[]
  /**
   * Who may call: `embedded(…)` with an authorization server in this Worker, `external(…)` with
   * another one, `verifier(…)` with a function of your own, `fromContext(…)` with code in front of
   * `fetch`. Default: no authorization.
   */
  readonly auth?: AuthConfig
  /** What the server has besides tools, resources and prompts: `sessions()`, `tasks()`, `changes()`, … */
  readonly features?: Features
  /**
   * Where the objects of the server are, and what they store: the platform keeps them in this jurisdiction, such as `eu`. The
   * variable `EDGEWAY_JURISDICTION` is the same. It cannot change later: the server then answers 503, because every session,
   * grant and key would be another. The Worker itself runs everywhere: see the document on security.
   *
   * @see https://developers.cloudflare.com/durable-objects/reference/data-location/
   */
  readonly jurisdiction?: DurableObjectJurisdiction
  /** Near which region objects are created. Without a promise: the platform may choose another one. */
  readonly locationHint?: DurableObjectLocationHint
  /**
   * Origins of web pages that may use the endpoint on a host that is not loopback, such as
   * `https://app.example`; `*` for all. Default: all where every request needs
   * a token, else the server's own origin.
   */
  readonly allowedOrigins?: readonly string[]
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
  /** Sizes, times and counts of the endpoint. Default of each: see {@link Limits}. */
  readonly limits?: Partial<Limits>
  /**
   * Receives telemetry events: a function, a sink that also receives those of requests, or a list of both.
   * Default: errors and warnings are written to the console.
   */
  readonly telemetry?: TelemetryOption
}

/** The options of a server whose definition a factory builds. */
export interface FactoryOptions<
  Features extends readonly FeatureOption[] = readonly FeatureOption[],
> extends EdgewayOptions<Features> {
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
