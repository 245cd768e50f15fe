/** Builds the app of a definition from its parts: routes, Durable Object classes and everything behind them. */
import { checkHealth } from '../durable-objects/health.ts'
import { createServices } from '../durable-objects/services.ts'
import { announceApp } from './app/announce-app.ts'
import { authRoutes } from './app/auth-routes.ts'
import {
  checkCombination,
  checkDeclaredScopes,
  checkFileTools,
  checkOptions,
  checkPaths,
} from './app/check-options.ts'
import type { Edgeway } from './app/edgeway.ts'
import { endpointRoutes } from './app/endpoint-routes.ts'
import { createEntranceOptions } from './app/entrance-options.ts'
import { findHealthPath, healthRoutes } from './app/health-endpoint.ts'
import { inspectRoutes } from './app/inspect-routes.ts'
import { landingRoutes } from './app/landing-page/landing-page.ts'
import { createNotFound } from './app/not-found.ts'
import { createObjectClasses } from './app/object-classes.ts'
import type { EdgewayOptions, FactoryOptions } from './app/options.ts'
import { createAppPaths, DEFAULT_PATH } from './app/paths.ts'
import { fetchesPublicAddresses, PRIVATE_FETCH_WARNING } from './app/public-fetch.ts'
import { createRecordElsewhere, type ObserversOf } from './app/record-elsewhere.ts'
import { createRequestRecorder } from './app/record-requests.ts'
import { createReaders } from './app/request-readers.ts'
import { createRouter, type Route } from './app/router.ts'
import { webhookRoute } from './app/webhook-route.ts'
import { createDefinitions } from './dispatch/create-definitions.ts'
import { createDeployments } from './dispatch/deployment.ts'
import { createNotify, refuseChangeOfOne } from './dispatch/notifier.ts'
import { createTaskControl } from './dispatch/task-control.ts'
import type { GrantProps } from './protocol/auth-info.ts'
import { serverText } from './protocol/served-server.ts'
import { createRateLimits } from './rate-limits/rate-limits.ts'
import { createHostCheck } from './security/host.ts'
import { createServerOrigins } from './security/server-origins.ts'
import type { ServerFactory } from './server/factory.ts'
import type { McpServer, ServerSource } from './server/mcp-server.ts'
import { createTelemetry } from './telemetry/create-telemetry.ts'
import { Entrance } from './transport/entrance.ts'
import { resolveLimits } from './transport/limits.ts'

export type { Edgeway, EdgewayObjectClass } from './app/edgeway.ts'
export type { EdgewayOptions, FactoryOptions } from './app/options.ts'

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
  return createNamedEdgeway(source, options)
}

/** How an entry of this package names its apps, instead of by `audience` and paths. */
export interface AppNaming {
  /** Returns the audience of a server without the option, by its name. */
  readonly audienceOf?: (name: string) => string
  /** The paths that identify the server. */
  readonly paths?: readonly string[]
  /** What tells it from other servers within one version, where that is neither audience nor path. */
  readonly className?: string
}

/**
 * The same for another entry of this package.
 *
 * @throws {TypeError} as `createEdgeway`
 */
export function createNamedEdgeway<Env = unknown, Props = GrantProps>(
  source: McpServer<Env, Props> | ServerSource | ServerFactory<Env, Props>,
  options: EdgewayOptions | FactoryOptions,
  naming: AppNaming = {},
): Edgeway<Env> {
  checkOptions(options)
  const { path = DEFAULT_PATH, allowedHosts = [], auth } = options
  const queryParams = 'queryParams' in options ? (options.queryParams ?? []) : []
  const paths = createAppPaths(options, queryParams)
  const { single, families, aliases, endpointPaths } = paths
  const telemetry = createTelemetry(options.telemetry)
  const { report } = telemetry
  const limits = resolveLimits(options.limits)
  const rateLimits = createRateLimits(options.rateLimits ?? {}, report)
  const { info, codecOf, definitionsIn, definition, dispatcher } = createDefinitions(source, {
    info: 'info' in options ? options.info : undefined,
    audience: options.audience,
    share: 'definitionPer' in options ? (options.definitionPer ?? 'caller') : 'caller',
    limits,
    report,
    check: (candidate) => {
      rateLimits.checkTools(candidate.tools)
      checkDeclaredScopes(candidate, auth, options.admin?.scope)
      checkFileTools(candidate, options.files !== undefined)
    },
  })
  checkCombination({
    isFactory: dispatcher === undefined,
    hasParams: families.length > 0,
    allowedOrigins: options.allowedOrigins,
    usesCookies: auth?.usesCookies === true,
  })
  // Without tokens and clients of its own, a server fetches no URL that a client names.
  if (auth !== undefined && auth.type !== 'context' && !fetchesPublicAddresses())
    report(PRIVATE_FETCH_WARNING)

  const audience = options.audience ?? naming.audienceOf?.(info.name) ?? info.name
  const namingPaths = naming.paths ?? paths.patterns.map(({ source }) => source)
  const server = serverText(audience, namingPaths)
  const { className } = naming
  const serverOfVersion = className === undefined ? server : serverText(audience, [className])
  const serverName = info.title ?? info.name
  const bindings = {
    sessionBinding: options.sessionBinding ?? 'MCP_SESSION',
    taskBinding: options.taskBinding ?? 'MCP_TASK',
  }
  const servicesOf = createServices({
    ...bindings,
    server,
    serverOfVersion,
    audience,
    hub: options.hub ?? {},
    createFileStore: options.files?.createStore,
    report,
    rateLimitsOf: rateLimits.of,
  })
  const checkHost = createHostCheck({ allowedHosts })
  const origins = createServerOrigins({ listed: auth?.origins ?? [], audience, checkHost })
  const adminPattern = options.admin?.findPath(auth)
  const adminScope = options.admin?.scope
  const gate = auth?.createGate({
    serverName,
    paths: single,
    pathFamilies: families.map((pattern) => ({
      template: pattern.source,
      matches: (pathname) => pattern.match(pathname) !== undefined,
    })),
    aliasPaths: aliases,
    adminResource:
      adminPattern && adminScope !== undefined
        ? { path: adminPattern.source, scope: adminScope }
        : undefined,
    servicesOf,
    report,
    strict: options.strict ?? false,
    isLoopback: (url) => checkHost(url).loopback,
    origins,
  })
  checkPaths(paths.all, paths.httpSse?.messages, gate)
  const isFree = (at: string) =>
    [...paths.all, ...(paths.httpSse ? [paths.httpSse.messages] : [])].every(
      (pattern) => pattern.match(at) === undefined,
    )
  const healthPath = findHealthPath(options.health, isFree)
  const changeDefinition =
    gate?.changeDefinition ?? (dispatcher === undefined ? refuseChangeOfOne : undefined)
  const readers = createReaders(options, {
    servicesOf,
    checkHost,
    origins,
    patternOf: paths.patternOf,
    gate,
    info,
    paths: single,
    limits,
  })
  const { timeline, inspector } = readers
  const deploymentOf = createDeployments({
    audience,
    limits,
    report,
    recorder: inspector?.recorderOfObjects(report, telemetry.recorder) ?? telemetry.recorder,
    files: options.files?.operations,
    servicesOf,
    definitionsIn,
    findUpstreamToken: gate?.findUpstreamToken,
    changeDefinition,
  })
  const served = { server, codecOf, limits, deploymentOf, servicesOf, auth, gate }
  const objects = createObjectClasses(served)
  const entranceOptions = createEntranceOptions(options, {
    ...served,
    dispatcher,
    queryParams,
    checkHost,
    audience,
    report,
    originOf: origins.ofRequest,
  })
  const entrance = new Entrance(entranceOptions)
  const checkHealthOf = (env: unknown) => checkHealth(env, auth?.type === 'embedded')
  const tasks = (env: unknown) => createTaskControl(servicesOf(env), audience)
  const admin = options.admin?.create(adminPattern, {
    gate,
    servicesOf,
    checkHealth: checkHealthOf,
    cancelTask: async (taskId, env) => (await tasks(env).cancel(taskId)) !== undefined,
    timelineOf: timeline?.control,
    isTaken: (at) => at === healthPath || !isFree(at) || gate?.paths.includes(at) === true,
    entranceOptions,
    paths: single,
  })

  const recorder = createRequestRecorder(telemetry, readers.all)
  const observersOf: ObserversOf = new WeakMap()
  const routes: readonly Route[] = [
    ...endpointRoutes({ paths, entrance, servicesOf, checkHost, recorder }),
    ...(gate === undefined ? [] : authRoutes(gate, observersOf)),
    ...(admin?.route === undefined ? [] : [admin.route]),
    webhookRoute({ servicesOf, audience, limits }),
    ...(options.files?.create({ servicesOf, audience, limits, serverName }) ?? []),
    ...inspectRoutes(inspector, timeline, { origins, report }),
    ...healthRoutes(healthPath, checkHealthOf),
    ...landingRoutes(options.landingPage, {
      info,
      patterns: paths.patterns,
      queryParams,
      auth,
      gate,
      adminScope,
      definitionsOf: (env) => deploymentOf(env).definitions,
      servicesOf,
      origins,
      report,
    }),
  ]
  const app = createRouter<Env>({
    routes,
    notFound: createNotFound(path),
    refuseHost: (request) => entrance.refuseHost(request),
    middleware:
      recorder &&
      createRecordElsewhere(recorder, { paths, gate, checkHost, servicesOf, observersOf }),
    report,
  })
  announceApp({
    ...bindings,
    server: serverOfVersion,
    paths: [
      ...paths.all.map(({ source }) => source),
      ...(gate?.paths ?? []),
      ...(adminPattern ? [adminPattern.source] : []),
    ],
    auth,
    definition,
    sessionsOnly: options.sessionsOnly ?? false,
    limitPeriods: rateLimits.periods,
    keepAliveMs: limits.keepAliveMs,
    objects,
  })
  return {
    app,
    objects,
    notify: (env) =>
      createNotify({
        changes: servicesOf(env).changes,
        changeDefinition: changeDefinition && ((subject) => changeDefinition(subject, env)),
      }),
    timeline(env) {
      if (timeline === undefined) throw new TypeError('Pass timeline: timeline() to createEdgeway')
      return timeline.control(env)
    },
    tasks,
    admin(env) {
      if (admin === undefined) throw new TypeError('Pass admin: admin() to createEdgeway')
      return admin.control(env)
    },
    fetch: (request, env, ctx) => {
      // The endpoint bypasses the router, which costs as much as all checks of the entrance together.
      const host = checkHost(request.url)
      const endpoint = host.path === undefined ? undefined : endpointPaths.find(host.path)
      if (endpoint === undefined) {
        return app.fetch(request, env as Env & object, ctx as ExecutionContext)
      }
      const recording = recorder?.begin(request, env, ctx)
      return entrance.serve(request, env, ctx, endpoint, host, recording)
    },
  }
}
