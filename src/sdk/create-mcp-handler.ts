/** `createMcpHandler()` of the SDK 2.x and of the Agents SDK: an app that serves every URL. */
import { createNamedEdgeway, type Edgeway, type EdgewayOptions } from '../app.ts'
import type { TelemetrySink } from '../ports/telemetry.ts'
import type { FactoryContext } from '../server/factory.ts'
import type { ServerSource } from '../server/mcp-server.ts'
import type { MaybePromise } from '../server/tool.ts'
import type { WaitUntil } from '../transport/entrance.ts'
import { authInfoOf } from './extra.ts'
import { notCarried } from './not-carried.ts'
import type { AuthInfo } from './types.ts'

/** What a factory of `createMcpHandler` receives. */
export interface McpRequestContext {
  readonly authInfo: AuthInfo | undefined
}

/** A factory of `createMcpHandler` (SDK 2.x). */
export type McpServerFactory = (context: McpRequestContext) => MaybePromise<ServerSource>

export interface CreateMcpHandlerOptions
  extends Omit<EdgewayOptions, 'path' | 'otherPaths' | 'httpSse'> {
  /**
   * The path to serve; any other path is answered with 404. Default: every path. Each of several handlers of one Worker
   * needs a route of its own: it is their resource, and a part of the default of `audience`.
   */
  readonly route?: string
  /** Receives the errors of handlers, besides telemetry. */
  readonly onerror?: (error: Error) => void
  /** Maximum size of a request body, in bytes. */
  readonly maxRequestBodySize?: number
  /** Has no effect: the limit `keepAliveMs` does it. */
  readonly keepAliveMs?: number
  readonly legacy?: 'stateless'
  readonly responseMode?: 'auto'
}

/** The handler: a function, and an object with `fetch`, as the two SDKs return. */
export interface McpHandler<Env = unknown> {
  (request: Request, env?: Env, ctx?: WaitUntil): Promise<Response>
  readonly fetch: (request: Request, env?: Env, ctx?: WaitUntil) => Promise<Response>
  /** Has no effect: there is nothing to close. */
  readonly close: () => Promise<void>
  /** The app, with `notify(env)` and the Durable Object classes. */
  readonly edgeway: Edgeway<Env>
}

/** Where an app without a route is served internally. The URL of a request is any. */
const PATH = '/mcp'

/** A route that is a path of `createEdgeway`. */
const PLAIN_ROUTE = /^(?:\/[\w\-.]+)+$/

/** The name that ids and states are sealed for, unless the option `audience` names another. */
const AUDIENCE = 'mcp'

/** The options of the SDKs that cannot be carried, each with what to do instead. */
const NOT_CARRIED: Readonly<Record<string, string>> = {
  authContext: 'use the option auth',
  bus: 'bind MCP_HUB, which delivers changes',
  enableJsonResponse: 'Edgeway answers with JSON where it can',
  eventStore: 'bind MCP_SESSION, which stores events',
  maxSubscriptions: 'use limits and rateLimits',
  sessionIdGenerator: 'bind MCP_SESSION, which has sessions',
  storage: 'bind MCP_SESSION, which stores sessions',
  transport: 'Edgeway has its own transport',
}

/**
 * Serves a server, or a factory of servers, at every URL that it is called for. A factory is called once
 * for each caller, not for each request.
 *
 * @throws {TypeError} for an option that cannot be carried
 */
export function createMcpHandler<Env = unknown>(
  source: ServerSource | McpServerFactory,
  options: CreateMcpHandlerOptions = {},
): McpHandler<Env> {
  for (const [option, instead] of Object.entries(NOT_CARRIED)) {
    if (option in options) throw notCarried(`The option ${option} is not carried: ${instead}.`)
  }
  const {
    route,
    onerror,
    maxRequestBodySize,
    keepAliveMs: _,
    legacy,
    responseMode,
    ...rest
  } = options
  if ((legacy ?? 'stateless') !== 'stateless' || (responseMode ?? 'auto') !== 'auto') {
    throw notCarried('Edgeway serves every era, and chooses between JSON and a stream.')
  }
  const path = route !== undefined && PLAIN_ROUTE.test(route) ? route : PATH
  const settings: EdgewayOptions = {
    ...rest,
    path,
    httpSse: false,
    ...(maxRequestBodySize === undefined
      ? undefined
      : { limits: { ...rest.limits, bodyBytes: maxRequestBodySize } }),
    ...(onerror === undefined ? undefined : { telemetry: reportTo(onerror, rest.telemetry) }),
  }
  // Handlers with the same name, such as those of factories, differ by their routes.
  const audienceOf = (name: string) =>
    route === undefined || route === PATH ? name : `${name} ${route}`
  const paths = [route ?? path]
  const edgeway =
    typeof source === 'function'
      ? createNamedEdgeway<Env>(
          ({ auth }: FactoryContext) => source({ authInfo: authInfoOf(auth) }),
          { ...settings, audience: rest.audience ?? audienceOf(AUDIENCE) },
          { paths },
        )
      : createNamedEdgeway<Env>(source, settings, { audienceOf, paths })
  const serve = async (request: Request, env?: Env, ctx: WaitUntil = NO_CONTEXT) => {
    const url = new URL(request.url)
    if (route !== undefined && url.pathname !== route)
      return new Response('Not Found', { status: 404 })
    if (isPassedThrough(env)) {
      throw notCarried('authInfo and parsedBody are not passed to fetch: use the option auth.')
    }
    url.pathname = path
    return edgeway.fetch(new Request(url, request), env as Env, ctx)
  }
  return Object.assign(serve, { fetch: serve, close: async () => {}, edgeway })
}

/** A `fetch` that is called without an execution context. */
const NO_CONTEXT: WaitUntil = { waitUntil: () => {} }

/** Whether the second argument is that of the SDK 2.x. */
function isPassedThrough(env: unknown): boolean {
  return typeof env === 'object' && env !== null && ('authInfo' in env || 'parsedBody' in env)
}

type Sink = NonNullable<EdgewayOptions['telemetry']>

function reportTo(onerror: (error: Error) => void, sink: Sink | undefined): Sink {
  const own: TelemetrySink = (event) => {
    if ('error' in event && event.error instanceof Error) onerror(event.error)
  }
  return [sink ?? [], own].flat()
}
