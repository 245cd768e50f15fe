/** Authorization as the app sees it. Types alone: a server without authorization bundles no code of it. */

import type { AccessControl } from '../ports/access-control.ts'
import type { Authenticator, Background } from '../ports/authenticator.ts'
import type { HealthCheck } from '../ports/health.ts'
import type { Kind } from '../ports/object-kinds.ts'
import type { AppObjects, PartSource } from '../ports/objects.ts'
import type { Observe } from '../ports/request-observer.ts'
import type { Services } from '../ports/services.ts'
import type { TelemetrySink } from '../ports/telemetry.ts'
import type { FindUpstreamToken } from '../ports/upstream-tokens.ts'
import type { AuthInfo } from '../protocol/auth-info.ts'
import type { ServerOrigins } from '../security/server-origins.ts'
import type { Extension } from './extension-point.ts'
import type { Feature } from './feature.ts'

/** The entrance of authorization. */
export interface AuthGate extends Authenticator {
  /** The paths of authorization, as routes of Hono. {@link AuthGate.route} may serve fewer. */
  readonly paths: readonly string[]
  /**
   * The response at a path of authorization; undefined for any other path.
   *
   * @param observe learns of the client and of refusals
   */
  route(
    request: Request,
    env: unknown,
    pathname: string,
    observe?: Observe,
  ): Promise<Response> | undefined
  /**
   * The person whose browser sends a request at a page of the app; undefined for a stranger. Absent where a
   * browser has no credentials.
   *
   * @param path of the endpoint
   */
  visitor?(
    request: Request,
    env: unknown,
    path: string,
    background: Background,
    ctx: unknown,
  ): Promise<AuthInfo | undefined>
  /** Absent where this server has no sign-in page. */
  readonly signIn?: BrowserSignIn
  /** Undefined where callers have no provider. */
  readonly findUpstreamToken?: FindUpstreamToken | undefined
  /** Undefined where this server issues no tokens. */
  readonly access?: AccessControl | undefined
}

/** The sign-in of a browser to this server, whether or not the person has connected an app. */
export interface BrowserSignIn {
  /** Undefined for a browser that is not signed in. */
  subject(request: Request, env: unknown): Promise<string | undefined>
  /** The path of the sign-in page, which returns to the inspector. */
  readonly path: string
}

export interface PathFamily {
  readonly template: string
  readonly matches: (pathname: string) => boolean
}

/** What the app gives to the auth gate. */
export interface AuthGateContext {
  readonly serverName: string
  /** Paths of the endpoint. Each is a resource of its own. */
  readonly paths: readonly string[]
  /** Forms of paths, such as `/mcp/{org}`. Each path of the form is a resource of its own. */
  readonly pathFamilies: readonly PathFamily[]
  /**
   * Path and scope of the admin API, if it is served to callers with tokens. It is a resource of its own, and
   * never the first one.
   */
  readonly adminResource?: { readonly path: string; readonly scope: string } | undefined
  /** Further paths of the first resource, such as that of the transport of 2024-11-05. */
  readonly aliasPaths: readonly string[]
  readonly servicesOf: (env: unknown) => Services
  readonly objectsIn: (env: unknown) => AppObjects
  readonly report: TelemetrySink
  /** Whether client faults that are leniencies otherwise are refused. */
  readonly strict: boolean
  /** Whether the host of a URL is a loopback name. */
  readonly isLoopback: (url: string) => boolean
  readonly origins: Pick<ServerOrigins, 'ofCallers' | 'isDevelopment'>
  /** What the features of the app bring for places that others declare. */
  readonly extensions: readonly Extension[]
}

/** The value of `embedded()`, `external()`, `verifier()` and `fromContext()`, for the option `auth` of `createEdgeway`. */
export interface AuthConfig {
  readonly type: 'embedded' | 'external' | 'verifier' | 'context'
  /** @internal Whether the callers are those of a test, which opens no pages. */
  readonly isOfTest?: boolean
  /** Whether callers without credentials are served. */
  readonly allowsAnonymous?: boolean
  /** Whether the browser attaches the credentials by itself, so that other sites must be kept out. */
  readonly usesCookies?: boolean
  /** The header of the author's choice that carries the credentials, in lower case. Handlers do not see it. */
  readonly credentialHeader?: string
  /** @internal The features that it needs, for example to seal tokens. */
  readonly needs?: readonly Feature[]
  /** @internal The scopes that tokens can have; undefined where any can. */
  readonly scopeNames?: readonly string[]
  /** @internal The scopes of the options, for people. */
  readonly scopes?: readonly { readonly name: string; readonly description: string }[]
  /** @internal Whether everyone who signs in can consent to every scope. */
  readonly grantsAllScopes?: boolean
  /** @internal How people sign in, where this server signs them in. */
  readonly login?: object | undefined
  /** @internal The origins of the options; empty where the environment has them. Undefined where none is needed. */
  readonly origins?: readonly string[]
  /** @internal The lifetimes of tokens that clients notice, in milliseconds. */
  readonly lifetimes?: { readonly accessTtlMs: number; readonly refreshGraceMs: number }
  /**
   * @internal
   * @throws {TypeError} when an option is invalid
   */
  createGate(context: AuthGateContext): AuthGate
  /** @internal What `GET /health?deep` and the admin API ask. */
  readonly health?: HealthCheck
  /** @internal The parts of the kinds of objects that it brings. */
  readonly parts?: Readonly<Partial<Record<Kind, PartSource>>>
}
