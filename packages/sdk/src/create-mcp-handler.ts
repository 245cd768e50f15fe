/** `createMcpHandler()` of the SDK 2.x and of the Agents SDK: an app that serves every URL. */
import { WorkerEntrypoint } from '#runtime'
import { createNamedEdgeway, type Edgeway, type EdgewayOptions } from '../../../src/app.ts'
import { fromContext } from '../../../src/auth/from-context.ts'
import type { FeatureOption } from '../../../src/feature/feature.ts'
import { type Asks, asks } from '../../../src/features/asks/asks.ts'
import type { MaybePromise } from '../../../src/platform/maybe-promise.ts'
import type { TelemetrySink } from '../../../src/ports/telemetry.ts'
import { withoutCredentials } from '../../../src/protocol/credential-headers.ts'
import type { RequestFactoryContext } from '../../../src/server/factory.ts'
import type { ServerSource } from '../../../src/server/mcp-server.ts'
import { namesModern } from '../../../src/transport/classify.ts'
import type { WaitUntil } from '../../../src/transport/entrance.ts'
import { authInfoOf } from './extra.ts'
import { createHandlerPolicy } from './handler-policy.ts'
import type { McpAuthContext } from './mcp-auth-context.ts'
import { type CreateMcpHandlerOptions, checkCarried } from './mcp-handler-options.ts'
import { notCarried } from './not-carried.ts'
import type { AuthInfo } from './types.ts'

/** What a factory of `createMcpHandler` receives. */
export interface McpRequestContext {
  /** The era of the request; `legacy` for a session, which no request is alone in. */
  readonly era: 'legacy' | 'modern'
  readonly authInfo: AuthInfo | undefined
  /** The request without its credentials and its body. Undefined for a session and a task. */
  readonly requestInfo?: Request
}

/** A factory of `createMcpHandler` (SDK 2.x). */
export type McpServerFactory = (context: McpRequestContext) => MaybePromise<ServerSource>

/** The part of an execution context that a handler reads. `fromContext()` explains who the caller is. */
export interface HandlerContext extends WaitUntil {
  readonly props?: unknown
  readonly auth?: unknown
}

/** The handler: a function, an object with `fetch`, and the default export of a Worker. */
export interface McpHandler<
  Env = unknown,
  Features extends readonly FeatureOption[] = readonly [],
> {
  (request: Request, env?: Env, ctx?: HandlerContext): Promise<Response>
  readonly fetch: (request: Request, env?: Env, ctx?: HandlerContext) => Promise<Response>
  /** Has no effect: there is nothing to close. */
  readonly close: () => Promise<void>
  /** The app, with what the features bring, such as the Durable Object classes. */
  readonly edgeway: Edgeway<Env, readonly [Asks, ...Features]>
}

/** Where an app without a route is served internally. The URL of a request is any. */
const PATH = '/mcp'

/** A route that is a path of `createEdgeway`. */
const PLAIN_ROUTE = /^(?:\/[\w\-.]+)+$/

/** The name that ids and states are sealed for, unless the option `audience` names another. */
const AUDIENCE = 'mcp'

/**
 * Serves a server, or a factory of servers, at every URL that it is called for. As in the SDK, a factory is
 * called for each request, because its servers may keep data of their request in memory. In a session it is
 * called once while the session is in memory.
 *
 * Handlers can ask the client. Everything else, such as `sessions()` and `changes()`, comes by the option
 * `features`.
 *
 * Without the option `auth`, the caller is that of the execution context: see `fromContext()`.
 *
 * @throws {TypeError} for an option that cannot be carried
 */
export function createMcpHandler<
  Env = unknown,
  const Features extends readonly FeatureOption[] = readonly [],
>(
  source: ServerSource | McpServerFactory,
  options: CreateMcpHandlerOptions<Features> = {},
): McpHandler<Env, Features> {
  checkCarried(options)
  const {
    route,
    onerror,
    maxRequestBodySize,
    keepAliveMs: _,
    legacy,
    responseMode: __,
    authContext,
    corsOptions: ___,
    allowedHostnames: ____,
    allowedOriginHostnames: _____,
    ...rest
  } = options
  const policy = createHandlerPolicy(options)
  const path = route !== undefined && PLAIN_ROUTE.test(route) ? route : PATH
  const own: readonly FeatureOption[] = rest.features ?? []
  const ownAsks = own.some((feature) => feature && feature.name === 'asks')
  const settings: EdgewayOptions = {
    ...rest,
    ...policy.options,
    auth: rest.auth ?? fromContext({ anonymous: true }),
    path,
    features: ownAsks ? own : [asks(), ...own],
    modernOnly: legacy === 'reject',
    ...(maxRequestBodySize === undefined
      ? undefined
      : { limits: { ...rest.limits, bodyBytes: maxRequestBodySize } }),
    ...(onerror === undefined ? undefined : { telemetry: reportTo(onerror, rest.telemetry) }),
  }
  // Handlers with the same name, such as those of factories, differ by their routes.
  const audienceOf = (name: string) =>
    route === undefined || route === PATH ? name : `${name} ${route}`
  const naming = {
    paths: [route ?? path],
    servedPaths: route === undefined ? [] : [route],
    oneUrl: true,
  }
  const arrived = new WeakMap<Request, Request>()
  const build = (factory: McpServerFactory) => (context: RequestFactoryContext) =>
    factory(requestContext(context, context.request && arrived.get(context.request), settings))
  const edgeway =
    typeof source === 'function'
      ? createNamedEdgeway(
          build(source),
          {
            ...settings,
            audience: rest.audience ?? audienceOf(AUDIENCE),
            definitionPer: 'session',
          },
          naming,
        )
      : createNamedEdgeway(source, settings, { audienceOf, ...naming })
  const serve = async (request: Request, env?: unknown, ctx: HandlerContext = NO_CONTEXT) => {
    const url = new URL(request.url)
    if (route !== undefined && url.pathname !== route)
      return new Response('Not Found', { status: 404 })
    if (isPassedThrough(env)) {
      throw notCarried('authInfo and parsedBody are not passed to fetch: use the option auth.')
    }
    const refused = policy.refuse(request)
    if (refused !== undefined) return policy.adapt(request, refused)
    url.pathname = path
    const moved = new Request(url, request)
    arrived.set(moved, request)
    const caller = authContext === undefined ? ctx : withProps(ctx, authContext)
    return policy.adapt(request, await edgeway.fetch(moved, env, caller))
  }
  const handler = createHandlerEntrypoint(serve)
  const app = edgeway as unknown as McpHandler<Env, Features>['edgeway']
  return Object.assign(handler, { fetch: serve, close: async () => {}, edgeway: app })
}

/** A `fetch` that is called without an execution context. */
const NO_CONTEXT: HandlerContext = { waitUntil: () => {} }

/** The execution context with other props. */
function withProps(ctx: HandlerContext, { props }: McpAuthContext): HandlerContext {
  return { waitUntil: (promise) => ctx.waitUntil(promise), props, auth: ctx.auth }
}

function requestContext(
  { auth }: RequestFactoryContext,
  request: Request | undefined,
  settings: EdgewayOptions,
): McpRequestContext {
  const authInfo = authInfoOf(auth)
  if (request === undefined) return { era: 'legacy', authInfo }
  const { url, method } = request
  const headers = withoutCredentials(request.headers)
  const { credentialHeader } = settings.auth ?? {}
  if (credentialHeader !== undefined) headers.delete(credentialHeader)
  const isModern =
    namesModern(headers.get('mcp-protocol-version')) && headers.get('mcp-method') !== 'initialize'
  return {
    era: isModern ? 'modern' : 'legacy',
    authInfo,
    requestInfo: new Request(url, { method, headers }),
  }
}

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

type Serve = (request: Request, env?: unknown, ctx?: WaitUntil) => Promise<Response>

/**
 * Returns a function that serves when it is called, and is a class of entrypoints when it is constructed: a handler
 * is also the default export of a Worker. The platform and `wrangler dev` take a function that is exported for a
 * class, and construct it.
 */
function createHandlerEntrypoint(serve: Serve): Serve {
  // Not a class: only a function can also be called without `new`.
  function handler(request: Request | ExecutionContext, env?: unknown, ctx?: WaitUntil): unknown {
    return new.target === undefined
      ? serve(request as Request, env, ctx)
      : Reflect.construct(WorkerEntrypoint, [request, env], new.target)
  }
  handler.prototype = Object.create(WorkerEntrypoint.prototype, {
    constructor: { value: handler },
    fetch: {
      value(this: { readonly env: unknown; readonly ctx: WaitUntil }, request: Request) {
        return serve(request, this.env, this.ctx)
      },
    },
  })
  // The platform and workers-oauth-provider recognise an entrypoint by this chain.
  Object.setPrototypeOf(handler, WorkerEntrypoint)
  return handler as Serve
}
