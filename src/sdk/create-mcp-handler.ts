/** `createMcpHandler()` of the SDK 2.x and of the Agents SDK: an app that serves every URL. */
import { createEdgeway, type Edgeway, type EdgewayOptions } from '../app.ts'
import type { TelemetrySink } from '../ports/telemetry.ts'
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
  /** The path to serve; any other path is answered with 404. Default: every path. */
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

/** Where the app is served internally. The URL of a request is any. */
const PATH = '/mcp'

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
  const settings: EdgewayOptions = {
    ...rest,
    path: PATH,
    httpSse: false,
    ...(maxRequestBodySize === undefined
      ? undefined
      : { limits: { ...rest.limits, bodyBytes: maxRequestBodySize } }),
    ...(onerror === undefined ? undefined : { telemetry: reportTo(onerror, rest.telemetry) }),
  }
  const edgeway =
    typeof source === 'function'
      ? createEdgeway<Env>(({ auth }) => source({ authInfo: authInfoOf(auth) }), {
          ...settings,
          audience: rest.audience ?? AUDIENCE,
        })
      : createEdgeway<Env>(source, settings)
  const serve = async (request: Request, env?: Env, ctx: WaitUntil = NO_CONTEXT) => {
    const url = new URL(request.url)
    if (route !== undefined && url.pathname !== route)
      return new Response('Not Found', { status: 404 })
    if (isPassedThrough(env)) {
      throw notCarried('authInfo and parsedBody are not passed to fetch: use the option auth.')
    }
    url.pathname = PATH
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
