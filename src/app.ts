/** Builds the app of a definition: the core, and what the features of its options bring. */

import { developmentFeatures } from '#development'
import { createObjectsClass } from '../durable-objects/objects-class.ts'
import { createClassOf } from '../durable-objects/objects-of.ts'
import { announceApp } from './app/announce-app.ts'
import {
  checkCombination,
  checkDeclaredScopes,
  checkNames,
  checkOptions,
  checkPaths,
  checkUses,
} from './app/check-options.ts'
import { createServices } from './app/create-services.ts'
import type { Edgeway, FactoryEdgeway, KnownFeatures } from './app/edgeway.ts'
import { authRoutes, createNotFound, endpointRoutes } from './app/endpoint-routes.ts'
import { createEntranceOptions } from './app/entrance-options.ts'
import { installParts } from './app/install-parts.ts'
import type { EdgewayOptions, FactoryOptions } from './app/options.ts'
import { createAppPaths, DEFAULT_PATH } from './app/paths.ts'
import { fetchesPublicAddresses, PRIVATE_FETCH_WARNING } from './app/public-fetch.ts'
import { createRecordElsewhere, type ObserveOf } from './app/record-elsewhere.ts'
import { createRouter } from './app/router.ts'
import { createDefinitions } from './dispatch/create-definitions.ts'
import { createDeployments } from './dispatch/deployment.ts'
import { toolsListedTo } from './dispatch/dispatcher.ts'
import { Recorder } from './dispatch/recorder.ts'
import type { AppContext, FeatureOption, OwnResource } from './feature/feature.ts'
import type { RequiredBinding } from './feature/required-bindings.ts'
import type { Route } from './feature/route.ts'
import { resolveAppLimits } from './ports/app-limits.ts'
import type { HealthCheck } from './ports/health.ts'
import type { EdgewayObjectClass } from './ports/object-class.ts'
import type { AppObjects, ObjectSettings, ServerObjects } from './ports/objects.ts'
import type { GrantProps } from './protocol/auth-info.ts'
import { createHostCheck } from './security/host.ts'
import { createServerOrigins } from './security/server-origins.ts'
import type { NoMembers } from './server/context.ts'
import type { DefaultEnv } from './server/default-env.ts'
import type { Definition } from './server/definition.ts'
import type { ServerFactory } from './server/factory.ts'
import { type AnyServer, type McpServer, type ServerSource, usesOf } from './server/mcp-server.ts'
import { createTelemetry } from './telemetry/create-telemetry.ts'
import { endpointHandlers } from './transport/endpoint.ts'
import { Entrance } from './transport/entrance.ts'

export type { Edgeway } from './app/edgeway.ts'
export type { EdgewayOptions, FactoryOptions } from './app/options.ts'
export type { EdgewayObjectClass } from './ports/object-class.ts'

/**
 * Serves to each caller the definition that the factory builds for it. A segment of a path may be a
 * param: `/mcp/{org}`.
 *
 * @throws {TypeError} for invalid options
 */
export function createEdgeway<
  Env = DefaultEnv,
  Props = GrantProps,
  const Features extends readonly FeatureOption[] = readonly [],
  Members = NoMembers,
>(
  factory: ServerFactory<Env, Props, Members>,
  options: FactoryOptions<Features> & KnownFeatures<Features>,
): FactoryEdgeway<Env, Members, Features>
/**
 * Serves a definition from one endpoint to every client.
 *
 * @throws {TypeError} for invalid options, and for an invalid definition
 */
export function createEdgeway<
  Env = DefaultEnv,
  Props = GrantProps,
  const Features extends readonly FeatureOption[] = readonly [],
  Members = NoMembers,
  Api = object,
>(
  server: McpServer<Env, Props, Members, Api> | ServerSource,
  options?: EdgewayOptions<Features> & KnownFeatures<Features>,
): Edgeway<Env, Features, Api>
export function createEdgeway(
  source: ServedSource,
  options: EdgewayOptions | FactoryOptions = {},
): object {
  checkNames(options)
  return createNamedEdgeway(source, options)
}

/**
 * The Durable Object class of several servers of one Worker: `export class McpObjects extends objectsOf(edgeway, docs) {}`.
 *
 * @throws {TypeError} for two servers with one audience, or with different options for objects that they share
 */
export function objectsOf(...servers: readonly Pick<Edgeway, 'Objects'>[]): EdgewayObjectClass {
  return createClassOf(servers.map(({ Objects }) => Objects))
}

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

/**
 * The same for another entry of this package.
 *
 * @throws {TypeError} as `createEdgeway`
 */
export function createNamedEdgeway(
  source: ServedSource,
  options: EdgewayOptions | FactoryOptions,
  naming: AppNaming = {},
): Edgeway {
  checkOptions(options)
  const { path = DEFAULT_PATH, allowedHosts = [], auth, strict = false } = options
  const { info: ownInfo, definitionPer = 'caller', queryParams = [] } = options as FactoryOptions
  const telemetry = createTelemetry(options.telemetry)
  const { report } = telemetry
  const limits = resolveAppLimits(options.limits)
  const checkHost = createHostCheck({ allowedHosts })
  const { sessionClass, sharedObjectsOnly: sharedOnly } = naming
  const { jurisdiction, locationHint } = options
  let isPublic = false
  const objectSettings: ObjectSettings = {
    ...{ jurisdiction, locationHint, sessionBinding: sessionClass?.binding, sharedOnly },
    isPublic: () => isPublic,
  }
  // What follows below is added when it is known. Features read it when a request needs it.
  const app = {
    limits,
    strict,
    report,
    auth,
    checkHost,
    modernOnly: options.modernOnly === true,
    queryParams,
    codecOf: (revision) => definitions.codecOf(revision),
    servicesOf: (env) => servicesOf(env),
    objectSettings,
    objectsIn: (env) => parts.objects?.objectsIn(env) ?? NO_OBJECTS,
    deploymentOf: (env) => deploymentOf(env),
    patternOf: (pathname) => paths.patternOf(pathname),
    isFree: (at) => paths.isFree(at) && gate?.paths.includes(at) !== true,
    partsOf: (name) => parts.byName.get(name),
    healthChecks: (): readonly HealthCheck[] =>
      [...parts.all, auth].flatMap((part) => part?.health ?? []),
  } as AppContext
  const parts = installParts(
    [...developmentFeatures(), ...(auth?.needs ?? [])],
    [...usesOf(source), ...(options.features ?? [])],
    app,
  )
  const handlers = endpointHandlers(parts.transport.sessions)
  const paths = createAppPaths(
    path,
    queryParams,
    handlers,
    naming.oneUrl === true ? undefined : parts.morePaths,
    parts.reservedValue,
  )
  const check = (definition: Definition) => {
    checkUses(definition, parts.byName, naming.call)
    checkDeclaredScopes(definition, auth, parts.ownResource?.scope)
    for (const part of parts.all) part.checkDefinition?.(definition)
  }
  const definitions = createDefinitions(source, {
    info: ownInfo,
    audience: options.audience,
    share: definitionPer,
    extensions: parts.dispatch,
    limits,
    report,
    check,
  })
  checkCombination({
    isFactory: definitions.dispatchers === undefined,
    hasParams: paths.families.length > 0,
    allowedOrigins: options.allowedOrigins,
    usesCookies: auth?.usesCookies === true,
  })
  // Without tokens and clients of its own, a server fetches no URL that a client names.
  if (auth !== undefined && auth.type !== 'context' && !fetchesPublicAddresses())
    report(PRIVATE_FETCH_WARNING)

  const { info, definition } = definitions
  const audience = options.audience ?? naming.audienceOf?.(info.name) ?? info.name
  const origins = createServerOrigins({ listed: auth?.origins ?? [], audience, checkHost })
  const servicesOf = createServices(parts.all)
  const gate = auth?.createGate({
    serverName: info.title ?? info.name,
    paths: paths.single,
    pathFamilies: paths.families.map((pattern) => ({
      template: pattern.source,
      matches: (pathname) => pattern.match(pathname) !== undefined,
    })),
    aliasPaths: paths.aliases,
    adminResource: resourceOf(parts.ownResource),
    servicesOf,
    objectsIn: app.objectsIn,
    report,
    strict,
    isLoopback: (url) => checkHost(url).loopback,
    origins,
  })
  const { ownResource } = parts
  const { patterns, single: singlePaths } = paths
  Object.assign(app, {
    ...{ info, definition, audience, origins, gate },
    ownResource,
    patterns,
    singlePaths,
    httpSse: paths.httpSse,
    extensions: parts.all.flatMap(({ extensions = [] }) => extensions),
  })
  checkPaths(paths.all, paths.httpSse?.messages, gate)
  const { readers } = parts
  // Undefined when nothing reads requests, so that nothing is created for them.
  const recorder =
    telemetry.recordsRequests || readers.length > 0
      ? new Recorder(telemetry, readers, parts.dispatch.isKnownMethod)
      : undefined
  const deploymentOf = createDeployments({
    audience,
    limits,
    report,
    extensions: parts.dispatch,
    recorder,
    servicesOf,
    definitionsIn: definitions.definitionsIn,
    findUpstreamToken: gate?.findUpstreamToken,
  })
  const entranceOptions = createEntranceOptions(options, app, definitions, parts.transport)
  Object.assign(app, { entranceOptions })
  const entrance = new Entrance(entranceOptions)
  const observeOf: ObserveOf = new WeakMap()
  const routes: readonly Route[] = [
    ...endpointRoutes({ paths, entrance, checkHost, recorder }),
    ...(gate === undefined ? [] : authRoutes(gate, observeOf)),
    ...parts.routes(),
  ]
  const router = createRouter({
    routes,
    notFound: createNotFound([path].flat()[0] ?? DEFAULT_PATH),
    refuseHost: (request) => entrance.refuseHost(request),
    middleware:
      recorder && createRecordElsewhere(recorder, { paths, gate, routes, checkHost, observeOf }),
    report,
  })
  const objects: ServerObjects = {
    audience,
    parts: { ...parts.ofKinds, ...auth?.parts },
    objectsIn: app.objectsIn,
  }
  announceApp({
    ...parts.announced,
    required: [
      ...parts.all.flatMap(({ requires = [] }) => requires),
      ...(sessionClass ? [sessionClass] : []),
    ],
    audience,
    jurisdiction,
    paths: naming.servedPaths ?? [
      ...paths.all.map(({ source: at }) => at),
      ...(gate?.paths ?? []),
      ...(parts.ownResource ? [parts.ownResource.pattern.source] : []),
    ],
    auth,
    definition,
    listedTools: definition && (() => toolsListedTo(PLAIN_CLIENT, definition, parts.dispatch)),
    keepAliveMs: limits.keepAliveMs,
    kinds: Object.keys(objects.parts),
  })
  const fetch = (request: Request, env: object, ctx: ExecutionContext) => {
    // The endpoint bypasses the router, which costs as much as all checks of the entrance together.
    const host = checkHost(request.url)
    isPublic ||= !host.loopback
    const endpoint = host.path === undefined ? undefined : paths.endpointPaths.find(host.path)
    if (endpoint === undefined) return router.fetch(request, env, ctx)
    const recording = recorder?.begin(request, env, (work) => ctx.waitUntil(work))
    return entrance.serve(request, env, ctx, endpoint, host, recording)
  }
  const Objects = createObjectsClass([objects], parts.objects?.base)
  return parts.guard({
    ...{ fetch, app: router, Objects },
    ...parts.api,
  }) as Edgeway
}

/** Of an app without the feature `objects()`. */
const NO_OBJECTS: AppObjects = { of: () => undefined }

const PLAIN_CLIENT = { era: 'modern', capabilities: {} } as const

function resourceOf(own: OwnResource | undefined) {
  return own?.scope === undefined ? undefined : { path: own.pattern.source, scope: own.scope }
}
