/** Builds the app of a definition from its parts: routes, Durable Object classes and everything behind them. */
import { UnusedAccount } from '../durable-objects/account/unused-account.ts'
import { McpHub } from '../durable-objects/hub/hub-object.ts'
import { McpKeyring } from '../durable-objects/keyring/keyring-object.ts'
import { createServices } from '../durable-objects/services.ts'
import { createSessionClass } from '../durable-objects/session/session-object.ts'
import { McpState } from '../durable-objects/state/state-object.ts'
import { createTaskClass } from '../durable-objects/task/task-object.ts'
import { announceApp } from './app/announce-app.ts'
import { checkDeclaredScopes, checkOptions, checkPaths } from './app/check-options.ts'
import type { Edgeway } from './app/edgeway.ts'
import type { EdgewayOptions, FactoryOptions } from './app/options.ts'
import { createAppPaths, DEFAULT_PATH } from './app/paths.ts'
import { fetchesPublicAddresses, PRIVATE_FETCH_WARNING } from './app/public-fetch.ts'
import { createRouter } from './app/router.ts'
import { createDefinitions } from './dispatch/create-definitions.ts'
import { createDeployments } from './dispatch/deployment.ts'
import { createNotify, refuseChangeOfOne } from './dispatch/notifier.ts'
import { createTaskControl } from './dispatch/task-control.ts'
import type { GrantProps } from './protocol/auth-info.ts'
import { createRateLimits } from './rate-limits/rate-limits.ts'
import { createHostCheck } from './security/host.ts'
import type { ServerFactory } from './server/factory.ts'
import type { McpServer, ServerSource } from './server/mcp-server.ts'
import { consoleSink } from './telemetry/console-sink.ts'
import { guardSink } from './telemetry/guard-sink.ts'
import { Entrance } from './transport/entrance.ts'
import { resolveLimits } from './transport/limits.ts'
import { SessionIds } from './transport/session/session-id.ts'

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
  checkOptions(options)
  const { path = DEFAULT_PATH, allowedOrigins, allowedHosts = [], auth } = options
  const queryParams = 'queryParams' in options ? (options.queryParams ?? []) : []
  const paths = createAppPaths(options, queryParams)
  const { single, families, aliases, endpointPaths } = paths
  const report = guardSink(options.telemetry ?? consoleSink)
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
      checkDeclaredScopes(candidate, auth)
    },
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
  const bindings = {
    sessionBinding: options.sessionBinding ?? 'MCP_SESSION',
    taskBinding: options.taskBinding ?? 'MCP_TASK',
  }
  const servicesOf = createServices({
    ...bindings,
    hub: options.hub ?? {},
    report,
    rateLimitsOf: rateLimits.of,
  })
  const McpAccount = auth !== undefined && 'McpAccount' in auth ? auth.McpAccount : UnusedAccount
  const checkHost = createHostCheck({ allowedHosts })
  const gate = auth?.createGate({
    serverName: info.title ?? info.name,
    paths: single,
    pathFamilies: families.map((pattern) => ({
      template: pattern.source,
      matches: (pathname) => pattern.match(pathname) !== undefined,
    })),
    aliasPaths: aliases,
    servicesOf,
    report,
    strict: options.strict ?? false,
    isLoopback: (url) => checkHost(url).loopback,
  })
  checkPaths(paths.all, paths.httpSse?.messages, gate)
  const renewCaller = gate?.renewCaller
  const changeDefinition =
    gate?.changeDefinition ?? (dispatcher === undefined ? refuseChangeOfOne : undefined)
  const deploymentOf = createDeployments({
    audience,
    limits,
    report,
    servicesOf,
    definitionsIn,
    findUpstreamToken: gate?.findUpstreamToken,
    changeDefinition,
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
      credentialHeader: auth?.credentialHeader,
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

  const app = createRouter<Env>({
    info,
    path,
    paths,
    entrance,
    gate,
    servicesOf,
    checkHost,
    audience,
    limits,
    report,
  })
  const objects = { McpHub, McpKeyring, McpSession, McpTask, McpState, McpAccount }
  announceApp({
    ...bindings,
    paths: [...paths.all.map(({ source }) => source), ...(gate?.paths ?? [])],
    auth,
    definition,
    sessionsOnly: options.sessionsOnly ?? false,
    limitPeriods: rateLimits.periods,
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
