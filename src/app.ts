/** Builds the app of a definition: its routes, its Durable Object classes and all parts behind them. */
import type { DurableObject } from 'cloudflare:workers'
import { Hono } from 'hono/tiny'
import { UnusedAccount } from '../durable-objects/account/unused-account.ts'
import type { ChangeBusOptions } from '../durable-objects/hub/change-bus-options.ts'
import { McpHub } from '../durable-objects/hub/hub-object.ts'
import { McpKeyring } from '../durable-objects/keyring/keyring-object.ts'
import { createServices } from '../durable-objects/services.ts'
import { createSessionClass } from '../durable-objects/session/session-object.ts'
import { createTaskClass } from '../durable-objects/task/task-object.ts'
import type { AuthConfig } from './auth/auth-config.ts'
import { createDefinitions } from './dispatch/create-definitions.ts'
import type { DefinitionShare } from './dispatch/definitions.ts'
import { createDeployments } from './dispatch/deployment.ts'
import { createNotify } from './dispatch/notifier.ts'
import { createTaskControl } from './dispatch/task-control.ts'
import { WEBHOOKS_PATH } from './dispatch/task-ids.ts'
import type { EmbeddedAuth } from './embedded.ts'
import { checkMount, executionContextOf, MountError } from './mount.ts'
import type { TelemetryEvent, TelemetrySink } from './ports/telemetry.ts'
import type { GrantProps } from './protocol/auth-info.ts'
import type { Implementation } from './protocol/content.ts'
import type { RateLimitOptions } from './rate-limits/limit-classes.ts'
import { createRateLimits } from './rate-limits/rate-limits.ts'
import { createHostCheck } from './security/host.ts'
import type { Notify } from './server/context.ts'
import type { ServerFactory } from './server/factory.ts'
import type { McpServer, ServerSource } from './server/mcp-server.ts'
import type { TaskControl } from './server/task-control.ts'
import { consoleSink } from './telemetry/console-sink.ts'
import { guardSink } from './telemetry/guard-sink.ts'
import { drain } from './transport/body/drain.ts'
import { ENDPOINT } from './transport/endpoint.ts'
import { checkParamNames, EndpointPaths, PathPattern } from './transport/endpoint-paths.ts'
import { Entrance, type WaitUntil } from './transport/entrance.ts'
import { createHttpSsePaths, type HttpSseOptions } from './transport/http-sse/paths.ts'
import { type Limits, resolveLimits } from './transport/limits.ts'
import { internalErrorResponse } from './transport/respond.ts'
import { SessionIds } from './transport/session/session-id.ts'
import { serveWebhook } from './transport/webhook.ts'

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
   * `https://app.example`; `*` for all. Default: all with `auth`, else the server's own origin.
   */
  readonly allowedOrigins?: readonly string[]
  /**
   * Refuses the modern revision, so that its clients use an older one, for a server whose handlers need a
   * session. Default false.
   */
  readonly sessionsOnly?: boolean
  /** Host names that are served over plain `http:` besides loopback names. */
  readonly allowedHosts?: readonly string[]
  /** Refuses the client faults that are otherwise served and reported as leniencies. Default false. */
  readonly strict?: boolean
  /**
   * `trust-body` serves a valid modern request whose version header names an older revision: one
   * hosted client sends such requests. Default `strict`: refused, as the specification requires.
   */
  readonly headerMismatch?: 'strict' | 'trust-body'
  /** The name that seals are bound to, for servers that share a keyring. Default: the server's name. */
  readonly audience?: string
  /**
   * The binding of the session objects. Each of several servers of one Worker needs its own, because its
   * handlers run in its own class. Default `MCP_SESSION`.
   */
  readonly sessionBinding?: string
  /** The binding of the task objects, with the same rule. Default `MCP_TASK`. */
  readonly taskBinding?: string
  readonly limits?: Partial<Limits>
  /**
   * How many requests a principal, a network and the callers of a tool may send. Default: see
   * `docs/guides/limits.md`. False lifts all of them.
   */
  readonly rateLimits?: RateLimitOptions | false
  /** The number of hub shards, and their limits. */
  readonly hub?: ChangeBusOptions
  /** Receives telemetry events. Default: errors and warnings are written to the console. */
  readonly telemetry?: TelemetrySink
}

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
  /** The Durable Object classes. The Worker's entry must export them under these names. */
  readonly objects: {
    readonly McpHub: EdgewayObjectClass
    readonly McpKeyring: EdgewayObjectClass
    readonly McpSession: EdgewayObjectClass
    readonly McpTask: EdgewayObjectClass
    readonly McpAccount: EdgewayObjectClass
  }
  /** The app behind `fetch`, to mount in another app or to extend. */
  readonly app: Hono<{ Bindings: Env & object }>
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

/**
 * Serves a definition from one endpoint to every client.
 *
 * @throws {TypeError} for invalid options, and for an invalid definition
 */
export function createEdgeway<Env = unknown, Props = GrantProps>(
  server: McpServer<Env, Props> | ServerSource,
  options?: EdgewayOptions,
): Edgeway<Env>
/**
 * Serves to each caller the definition that the factory builds for it. A segment of a path may be a
 * param: `/mcp/{org}`.
 *
 * @throws {TypeError} for invalid options
 */
export function createEdgeway<Env = unknown, Props = GrantProps>(
  factory: ServerFactory<Env, Props>,
  options: FactoryOptions,
): Edgeway<Env>
export function createEdgeway<Env = unknown, Props = GrantProps>(
  source: McpServer<Env, Props> | ServerSource | ServerFactory<Env, Props>,
  options: EdgewayOptions | FactoryOptions = {},
): Edgeway<Env> {
  const { path = '/mcp', otherPaths = [], allowedOrigins, allowedHosts = [], auth } = options
  const queryParams = 'queryParams' in options ? (options.queryParams ?? []) : []
  const patterns = [path, ...otherPaths].map((source) => new PathPattern('path', source))
  const endpointPaths = new EndpointPaths()
  const { httpSse: httpSseOptions = {} } = options
  const httpSse =
    httpSseOptions === false ? undefined : createHttpSsePaths(httpSseOptions, patterns)
  for (const pattern of patterns) {
    endpointPaths.add(pattern, httpSse?.handlersAt(pattern) ?? ENDPOINT)
  }
  const paths = patterns.map(({ source }) => source)
  const streams =
    httpSse === undefined || paths.includes(httpSse.stream.source) ? [] : [httpSse.stream]
  const single = patterns.filter(({ paramNames }) => paramNames.length === 0)
  const families = [...patterns, ...streams].filter(({ paramNames }) => paramNames.length > 0)
  checkParamNames([...patterns, ...streams], queryParams)
  const report = guardSink(options.telemetry ?? consoleSink)
  const limits = resolveLimits(options.limits)
  const rateLimits = createRateLimits(options.rateLimits ?? {}, report)
  const { info, codecOf, definitionsIn, dispatcher } = createDefinitions(source, {
    info: 'info' in options ? options.info : undefined,
    audience: options.audience,
    share: 'definitionPer' in options ? (options.definitionPer ?? 'caller') : 'caller',
    limits,
    report,
    checkTools: rateLimits.checkTools,
  })
  if (dispatcher !== undefined && families.length > 0) {
    throw new TypeError(
      'A path with params needs a factory: createEdgeway(({ params }) => server, …)',
    )
  }
  if (auth?.usesCookies === true && allowedOrigins?.includes('*') === true) {
    throw new TypeError('allowedOrigins must name origins, not *, where cookies are credentials')
  }
  // Without tokens and clients of its own, a server fetches no URL that a client names.
  if (auth !== undefined && auth.type !== 'context' && !fetchesPublicAddresses())
    report(PRIVATE_FETCH_WARNING)

  const audience = options.audience ?? info.name
  const servicesOf = createServices({
    hub: options.hub ?? {},
    sessionBinding: options.sessionBinding ?? 'MCP_SESSION',
    taskBinding: options.taskBinding ?? 'MCP_TASK',
    report,
    rateLimitsOf: rateLimits.of,
  })
  const McpAccount = auth !== undefined && 'McpAccount' in auth ? auth.McpAccount : UnusedAccount
  const checkHost = createHostCheck({ allowedHosts })
  const gate = auth?.createGate({
    serverName: info.title ?? info.name,
    paths: single.map(({ source }) => source),
    pathFamilies: families.map((pattern) => ({
      template: pattern.source,
      matches: (pathname) => pattern.match(pathname) !== undefined,
    })),
    aliasPaths: streams.filter((one) => !families.includes(one)).map(({ source }) => source),
    servicesOf,
    report,
    strict: options.strict ?? false,
    isLoopback: (url) => checkHost(url).loopback,
  })
  const renewCaller = gate?.renewCaller
  const deploymentOf = createDeployments({
    audience,
    limits,
    report,
    servicesOf,
    definitionsIn,
    findUpstreamToken: gate?.findUpstreamToken,
  })
  const McpSession = createSessionClass({
    codecOf,
    limits,
    deploymentOf,
    terminateIn: (env) => servicesOf(env).sessions()?.terminate,
    renewCaller,
    allowsAnonymous: auth?.allowsAnonymous === true,
  })
  const McpTask = createTaskClass({
    codecOf,
    limits,
    deploymentOf,
    renewCaller,
    allowsAnonymous: auth?.allowsAnonymous === true,
  })
  const entrance = new Entrance({
    dispatcher,
    queryParams,
    endpoint: {
      codecOf,
      limits,
      strict: options.strict ?? false,
      sessionsOnly: options.sessionsOnly ?? false,
      headerMismatch: options.headerMismatch ?? 'strict',
      usesCookies: auth?.usesCookies === true,
      // What stands in front of this handler may use cookies.
      requiresContentType: auth?.usesCookies === true || auth?.type === 'context',
      audience,
      report,
      deploymentOf,
      sessionIds: new SessionIds(),
    },
    checkHost,
    origins: { allowedOrigins, bearerRequired: auth !== undefined && auth.usesCookies !== true },
    servicesOf,
    authenticator: gate,
  })

  const app = new Hono<{ Bindings: Env & object }>()
  const serveAt = (pattern: PathPattern, paths: EndpointPaths) => {
    for (const route of [pattern.route, `${pattern.route}/`]) {
      app.all(route, (c) => {
        // The host is checked first, because the URL of a malformed host cannot be parsed.
        const refused = entrance.refuseHost(c.req.raw)
        if (refused !== undefined) return refused
        const { pathname } = new URL(c.req.url)
        checkMount(pattern, pathname)
        const endpoint = paths.find(pathname)
        const isServed = paths === endpointPaths || servicesOf(c.env).sessions() !== undefined
        return endpoint === undefined || !isServed
          ? c.notFound()
          : entrance.serve(c.req.raw, c.env, executionContextOf(c), endpoint)
      })
    }
  }
  for (const pattern of patterns) serveAt(pattern, endpointPaths)
  if (httpSse !== undefined) {
    for (const pattern of [httpSse.stream, httpSse.messages]) serveAt(pattern, httpSse.endpoints)
  }
  for (const at of gate?.paths ?? []) {
    app.all(at, async (c, next) => {
      // The host is checked first, because the URL of a malformed host cannot be parsed.
      const response =
        entrance.refuseHost(c.req.raw) ?? gate?.route(c.req.raw, c.env, new URL(c.req.url).pathname)
      return (await response) ?? next()
    })
  }
  app.all(`${WEBHOOKS_PATH}/:secret`, async (c) => {
    const refused = entrance.refuseHost(c.req.raw)
    return (
      refused ?? serveWebhook(c.req.raw, c.req.param('secret'), servicesOf(c.env), audience, limits)
    )
  })
  app.get('/', async (c) => {
    const refused = await entrance.refuseHost(c.req.raw)
    return refused ?? c.text(welcome(info, `${checkHost(c.req.url).origin}${path}`))
  })
  app.notFound(async (c) => {
    // The host is checked first, because the URL of a malformed host cannot be parsed.
    const refused = await entrance.refuseHost(c.req.raw)
    if (refused !== undefined) return refused
    await drain(c.req.raw)
    return c.json({ error: 'not_found', message: `The MCP endpoint is ${path}` }, 404)
  })
  app.onError((error) => {
    if (error instanceof MountError) throw error
    report({ type: 'internal-error', error })
    return internalErrorResponse(undefined)
  })

  return {
    app,
    objects: { McpHub, McpKeyring, McpSession, McpTask, McpAccount },
    notify: (env) => createNotify(servicesOf(env).changes),
    tasks: (env) => createTaskControl(servicesOf(env), audience),
    fetch: (request, env, ctx) => {
      // The endpoint bypasses the router, which costs as much as all checks of the entrance together.
      const host = checkHost(request.url)
      const endpoint = host.path === undefined ? undefined : endpointPaths.find(host.path)
      return endpoint === undefined
        ? app.fetch(request, env as Env & object, ctx as ExecutionContext)
        : entrance.serve(request, env, ctx, endpoint, host)
    },
  }
}

/** The compatibility flag that keeps `fetch` out of the deployer's own zone. */
const PUBLIC_FETCH_FLAG = 'global_fetch_strictly_public'

const PRIVATE_FETCH_WARNING: TelemetryEvent = {
  type: 'definition-warning',
  subject: `The compatibility flag ${PUBLIC_FETCH_FLAG}`,
  message: `it is missing: URLs that clients name can reach hosts of your own zone. Add it to compatibility_flags`,
}

/** True where the platform does not name its flags. */
function fetchesPublicAddresses(): boolean {
  const { Cloudflare: platform } = globalThis as {
    readonly Cloudflare?: { readonly compatibilityFlags?: Readonly<Record<string, boolean>> }
  }
  return platform?.compatibilityFlags?.[PUBLIC_FETCH_FLAG] !== false
}

function welcome(
  { name, version }: { readonly name: string; readonly version: string },
  url: string,
): string {
  return `${`${name} ${version}`.trim()}\n\nA Model Context Protocol server. Add this URL to an MCP client:\n${url}\n`
}
