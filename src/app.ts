/** The Hono app: routes, the door, and the only place that knows all rooms. */
import { Hono } from 'hono/tiny'
import {
  type AccountObjectClass,
  createAccountClass,
} from '../durable-objects/account/account-object.ts'
import type { ChangeBusOptions } from '../durable-objects/hub/change-bus-options.ts'
import { McpHub } from '../durable-objects/hub/hub-object.ts'
import { McpKeyring } from '../durable-objects/keyring/keyring-object.ts'
import { createServices } from '../durable-objects/services.ts'
import {
  createSessionClass,
  type SessionObjectClass,
} from '../durable-objects/session/session-object.ts'
import type { AuthConfig, AuthGate } from './auth/auth-config.ts'
import { createDeployments } from './dispatch/deployment.ts'
import { Dispatcher } from './dispatch/dispatcher.ts'
import { createNotify } from './dispatch/notifier.ts'
import type { TelemetrySink } from './ports/telemetry.ts'
import type { GrantProps } from './protocol/auth-info.ts'
import { corsHeaders, preflightResponse } from './security/cors.ts'
import { createHostCheck, type ServedHost } from './security/host.ts'
import { isOriginAllowed } from './security/origin.ts'
import type { Notify } from './server/context.ts'
import type { McpServer } from './server/mcp-server.ts'
import { sealDefinition } from './server/mcp-server.ts'
import { consoleSink } from './telemetry/console-sink.ts'
import { guardSink } from './telemetry/guard-sink.ts'
import { readAccept } from './transport/accept.ts'
import { drain } from './transport/body/drain.ts'
import { type Handler, handleExchange } from './transport/endpoint.ts'
import type { Endpoint, Exchange } from './transport/exchange.ts'
import { handleConnect } from './transport/http-sse/connect.ts'
import { handleMessage } from './transport/http-sse/messages.ts'
import { type Limits, resolveLimits } from './transport/limits.ts'
import { Refusal } from './transport/refusals.ts'
import { internalErrorResponse, refusalResponse, withHeaders } from './transport/respond.ts'
import { SessionIds } from './transport/session/session-id.ts'

export interface EdgewayOptions {
  /** Path of the endpoint, with and without a trailing slash. Default `/mcp`. */
  readonly path?: string
  /**
   * Where clients of revision 2024-11-05 connect, which has two addresses: a stream, default `/sse`,
   * and one for messages, default `/messages`. False serves neither.
   */
  readonly httpSse?: { readonly path?: string; readonly messagesPath?: string } | false
  /** Further paths of the same server; behind authorization each is a resource of its own. */
  readonly otherPaths?: readonly string[]
  /**
   * Who may call: `embedded(…)` for an authorization server of your own, `external(…)` for somebody
   * else's. Default: everybody.
   */
  readonly auth?: AuthConfig
  /**
   * Origins of web pages that may use the endpoint on a host that is not loopback, such as
   * `https://app.example`; `*` for all. Default: its own.
   */
  readonly allowedOrigins?: readonly string[]
  /** Host names that are served over plain `http:` besides loopback ones. */
  readonly allowedHosts?: readonly string[]
  /** Refuses every fault of a client that is otherwise served and counted. Default false. */
  readonly strict?: boolean
  /**
   * `trust-body` serves a valid modern request whose version header names an older revision, which
   * one hosted client sends. Default `strict`: such a request is refused, as the specification asks.
   */
  readonly headerMismatch?: 'strict' | 'trust-body'
  /** What sealed states are bound to, where several servers share a keyring. Default: the server's name. */
  readonly audience?: string
  readonly limits?: Partial<Limits>
  /** How the hub shares its listeners, and how many it takes. */
  readonly hub?: ChangeBusOptions
  /** Where events go. Default: errors and warnings to the console. */
  readonly telemetry?: TelemetrySink
}

export interface Edgeway<Env = unknown> {
  /** The Worker's own `fetch`. */
  readonly fetch: (request: Request, env: Env, ctx: WaitUntil) => Response | Promise<Response>
  /**
   * Tells listeners what has changed, from a cron, a queue consumer or an object of one's own:
   * `await edgeway.notify(env).resourceUpdated('note://a')`.
   */
  readonly notify: (env: Env) => Notify
  /** The Durable Object classes, to export from the Worker's entry under these names. */
  readonly objects: {
    readonly McpHub: typeof McpHub
    readonly McpKeyring: typeof McpKeyring
    readonly McpSession: SessionObjectClass
    readonly McpAccount: AccountObjectClass
  }
  /** The app behind it, to mount elsewhere or to extend. */
  readonly app: Hono<{ Bindings: Env & object }>
}

interface WaitUntil {
  waitUntil(promise: Promise<unknown>): void
}

const METHODS = 'GET, POST, DELETE, OPTIONS'

/**
 * Serves a definition from one endpoint to every client.
 *
 * @throws {TypeError} for options that make no sense
 */
export function createEdgeway<Env = unknown, Props = GrantProps>(
  server: McpServer<Env, Props>,
  options: EdgewayOptions = {},
): Edgeway<Env> {
  const {
    path = '/mcp',
    otherPaths = [],
    httpSse = {},
    allowedOrigins,
    allowedHosts = [],
  } = options
  const paths = [path, ...otherPaths]
  for (const each of paths) checkPath('path', each)
  const definition = sealDefinition(server)
  const report = guardSink(options.telemetry ?? consoleSink)
  for (const warning of definition.warnings) report({ type: 'definition-warning', ...warning })
  const dispatcher = new Dispatcher(definition, report)
  const limits = resolveLimits(options.limits)
  const audience = options.audience ?? definition.info.name
  const servicesOf = createServices(options.hub ?? {})
  const deploymentOf = createDeployments({ audience, limits, report, servicesOf })
  const endpoint: Endpoint = {
    dispatcher,
    limits,
    strict: options.strict ?? false,
    headerMismatch: options.headerMismatch ?? 'strict',
    audience,
    report,
    deploymentOf,
    sessionIds: new SessionIds(),
  }
  const checkHost = createHostCheck({ allowedHosts })
  const McpSession = createSessionClass({ dispatcher, limits, deploymentOf })
  const McpAccount = createAccountClass(options.auth?.accountLimits)
  const originPolicy = { allowedOrigins, bearerRequired: options.auth !== undefined }
  const door = options.auth?.createGate({
    serverName: definition.info.title ?? definition.info.name,
    paths,
    aliasPaths: httpSse === false ? [] : [httpSse.path ?? '/sse'],
    servicesOf,
    report,
    isLoopback: ({ url }) => checkHost(url).loopback,
  })

  const serve = (
    request: Request,
    env: Env,
    ctx: WaitUntil,
    resourcePath: string,
    handle?: Handler,
    host = checkHost(request.url),
  ): Response | Promise<Response> => {
    if (!host.served) return refuseHost(request, host)
    const origin = request.headers.get('origin')
    if (origin !== null && !isOriginAllowed(origin, host, originPolicy)) {
      return refuse(request, 'origin-not-allowed', 'This origin may not use the endpoint')
    }
    if (request.method === 'OPTIONS') return preflightResponse(request, origin ?? '*', METHODS)
    const exchange: Exchange = {
      endpoint,
      request,
      env,
      waitUntil: (promise) => ctx.waitUntil(promise),
      services: servicesOf(env),
      auth: undefined,
      isStillAuthorized: undefined,
      challenge: (scopes) => `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"`,
      accepted: readAccept(request.headers.get('accept')),
      versionHeader: request.headers.get('mcp-protocol-version'),
      extraHeaders: origin === null ? undefined : corsHeaders(origin),
    }
    return door === undefined
      ? handleExchange(exchange, handle)
      : authorize(door, exchange, resourcePath, handle)
  }

  const authorize = async (
    door: AuthGate,
    exchange: Exchange,
    resourcePath: string,
    handle: Handler | undefined,
  ): Promise<Response> => {
    const { request, env, extraHeaders } = exchange
    const auth = await door.authenticate(request, env, resourcePath)
    if (auth instanceof Response) {
      await drain(request)
      return withHeaders(auth, extraHeaders)
    }
    const challenge: Exchange['challenge'] = (scopes) =>
      door.challenge(request, env, resourcePath, auth, scopes)
    const isStillAuthorized = () => door.isStillAuthorized(request, env)
    return handleExchange({ ...exchange, auth, challenge, isStillAuthorized }, handle)
  }

  /** What authorization has at a path of its own. Its pages and endpoints look after origins themselves. */
  const serveDoor = (request: Request, env: Env): Promise<Response> | Response | undefined => {
    const host = checkHost(request.url)
    if (!host.served) return refuseHost(request, host)
    return door?.route(request, env, new URL(request.url).pathname)
  }

  const refuse = async (
    request: Request,
    name: 'host-not-served' | 'origin-not-allowed',
    message: string,
  ): Promise<Response> => {
    const response = refusalResponse(new Refusal(name, message), undefined)
    report({ type: 'refusal', name, status: response.status, message })
    await drain(request)
    return response
  }

  const refuseHost = (request: Request, { host }: ServedHost): Promise<Response> =>
    refuse(request, 'host-not-served', `${host} is not served over plain http`)

  const app = new Hono<{ Bindings: Env & object }>()
  /** Each spelling of a path of the endpoint, and that path. */
  const endpointPaths = new Map(paths.flatMap((each) => [each, `${each}/`].map((at) => [at, each])))
  for (const [at, each] of endpointPaths) {
    app.all(at, (c) => serve(c.req.raw, c.env, c.executionCtx, each))
  }
  if (httpSse !== false) {
    const { path: streamPath = '/sse', messagesPath = '/messages' } = httpSse
    checkPath('httpSse.path', streamPath)
    checkPath('httpSse.messagesPath', messagesPath)
    const connect: Handler = (exchange) => {
      // Wherever the app is mounted, the two addresses stand side by side.
      const pathname = new URL(exchange.request.url).pathname.replace(/\/$/, '')
      const base = pathname.endsWith(streamPath) ? pathname.slice(0, -streamPath.length) : ''
      // Two slashes at the beginning would name a host.
      return handleConnect(exchange, `${base}${messagesPath}`.replace(/^\/{2,}/, '/'))
    }
    // Where there are no sessions there is no such address.
    const isServed = (env: Env) => servicesOf(env).sessions() !== undefined
    app.all(streamPath, (c) =>
      isServed(c.env) ? serve(c.req.raw, c.env, c.executionCtx, streamPath, connect) : c.notFound(),
    )
    app.all(messagesPath, (c) =>
      isServed(c.env)
        ? serve(c.req.raw, c.env, c.executionCtx, streamPath, handleMessage)
        : c.notFound(),
    )
  }
  app.get('/', async (c) => {
    const host = checkHost(c.req.url)
    if (!host.served) return refuseHost(c.req.raw, host)
    return c.text(describe(definition.info, `${host.origin}${path}`))
  })
  app.notFound(async (c) => {
    const served = serveDoor(c.req.raw, c.env)
    if (served !== undefined) return served
    await drain(c.req.raw)
    return c.json({ error: 'not_found', message: `The MCP endpoint is ${path}` }, 404)
  })
  app.onError((error) => {
    report({ type: 'internal-error', error })
    return internalErrorResponse(undefined)
  })
  return {
    app,
    objects: { McpHub, McpKeyring, McpSession, McpAccount },
    notify: (env) => createNotify(servicesOf(env).changes),
    fetch: (request, env, ctx) => {
      // The endpoint's own routes once more: a router costs as much as all the rest of the door.
      const host = checkHost(request.url)
      const endpointPath = host.path === undefined ? undefined : endpointPaths.get(host.path)
      return endpointPath === undefined
        ? app.fetch(request, env as Env & object, ctx as ExecutionContext)
        : serve(request, env, ctx, endpointPath, undefined, host)
    },
  }
}

/** @throws {TypeError} */
function checkPath(name: string, path: string): void {
  if (!/^\/[\w\-./]*[\w\-.]$/.test(path)) {
    throw new TypeError(`${name} must start with "/", hold no wildcard and not end in "/"`)
  }
}

function describe(
  { name, version }: { readonly name: string; readonly version: string },
  url: string,
) {
  return `${name} ${version}\n\nA Model Context Protocol server. Add this URL to an MCP client:\n${url}\n`
}
