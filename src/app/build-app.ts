/** Builds the parts of an app that depend on each other: paths, definitions, authorization and deployments. */
import { type CreatedDefinitions, createDefinitions } from '../dispatch/create-definitions.ts'
import { createDeployments, type DefinedDeployment } from '../dispatch/deployment.ts'
import { Recorder } from '../dispatch/recorder.ts'
import type { AuthGate } from '../feature/auth-config.ts'
import type { AppContext, OwnResource } from '../feature/feature.ts'
import type { AppObjects } from '../ports/objects.ts'
import type { Services } from '../ports/services.ts'
import { createServerOrigins, type ServerOrigins } from '../security/server-origins.ts'
import type { Definition } from '../server/definition.ts'
import { endpointHandlers } from '../transport/endpoint.ts'
import type { EntranceOptions } from '../transport/entrance.ts'
import { checkCombination, checkDeclaredScopes, checkPaths, checkUses } from './check-options.ts'
import type { CollectedApp } from './collect-app.ts'
import { createServices } from './create-services.ts'
import { createEntranceOptions } from './entrance-options.ts'
import type { InstalledParts } from './install-parts.ts'
import { type AppPaths, createAppPaths } from './paths.ts'
import { fetchesPublicAddresses, PRIVATE_FETCH_WARNING } from './public-fetch.ts'

export interface BuiltApp {
  readonly paths: AppPaths
  readonly definitions: CreatedDefinitions
  readonly audience: string
  readonly origins: ServerOrigins
  readonly gate: AuthGate | undefined
  readonly servicesOf: (env: unknown) => Services
  readonly objectsIn: (env: unknown) => AppObjects
  readonly deploymentOf: (env: unknown) => DefinedDeployment
  /** Undefined when nothing reads requests, so that nothing is created for them. */
  readonly recorder: Recorder | undefined
  readonly entranceOptions: EntranceOptions
}

/** @throws {TypeError} for options and definitions that cannot be served together */
export function buildApp(
  collected: CollectedApp,
  parts: InstalledParts,
  app: AppContext,
): BuiltApp {
  const { naming, options, limits, checkHost, auth, telemetry } = collected
  const { report } = telemetry
  const paths = createAppPaths(
    collected.path,
    collected.queryParams,
    endpointHandlers(parts.transport.sessions),
    naming.oneUrl === true ? undefined : parts.morePaths,
    parts.reservedValue,
  )
  const definitions = createDefinitions(collected.source, {
    info: options.info,
    audience: options.audience,
    share: options.definitionPer ?? 'caller',
    extensions: parts.dispatch,
    limits,
    report,
    check: (definition) => checkDefinition(definition, collected, parts),
  })
  checkCombination({
    isFactory: definitions.dispatchers === undefined,
    hasParams: paths.families.length > 0,
    allowedOrigins: options.allowedOrigins,
    usesCookies: auth?.usesCookies === true,
  })
  // Without tokens and clients of its own, a server fetches no URL that a client names.
  if (auth !== undefined && auth.type !== 'context' && !fetchesPublicAddresses()) {
    report(PRIVATE_FETCH_WARNING)
  }
  const { name } = definitions.info
  const audience = options.audience ?? naming.audienceOf?.(name) ?? name
  const origins = createServerOrigins({ listed: auth?.origins ?? [], audience, checkHost })
  const servicesOf = createServices(parts.all)
  const { objectsIn } = app
  const base = { paths, definitions, audience, origins, servicesOf, objectsIn }
  const gate = createGate(collected, parts, base)
  checkPaths(paths.all, paths.httpSse?.messages, gate)
  const recorder =
    telemetry.recordsRequests || parts.readers.length > 0
      ? new Recorder(telemetry, parts.readers, parts.dispatch.isKnownMethod)
      : undefined
  const deploymentOf = createDeployments({
    ...{ audience, limits, report, recorder, servicesOf, strict: options.strict === true },
    extensions: parts.dispatch,
    definitionsIn: definitions.definitionsIn,
    findUpstreamToken: gate?.findUpstreamToken,
  })
  const identified = { ...base, gate, deploymentOf, recorder }
  const entranceOptions = createEntranceOptions(collected, parts.transport, identified)
  return { ...identified, entranceOptions }
}

function checkDefinition(
  definition: Definition,
  { auth, naming }: CollectedApp,
  parts: InstalledParts,
): void {
  checkUses(definition, parts.byName, naming.call)
  checkDeclaredScopes(definition, auth, parts.ownResource?.scope)
  for (const part of parts.all) part.checkDefinition?.(definition)
}

function createGate(
  { auth, telemetry, strict, checkHost }: CollectedApp,
  { ownResource, extensions }: InstalledParts,
  {
    paths,
    definitions: { info },
    origins,
    servicesOf,
    objectsIn,
  }: Pick<BuiltApp, 'paths' | 'definitions' | 'origins' | 'servicesOf' | 'objectsIn'>,
): AuthGate | undefined {
  return auth?.createGate({
    serverName: info.title ?? info.name,
    paths: paths.single,
    pathFamilies: paths.families.map((pattern) => ({
      template: pattern.source,
      matches: (pathname) => pattern.match(pathname) !== undefined,
    })),
    aliasPaths: paths.aliases,
    adminResource: resourceOf(ownResource),
    ...{ servicesOf, objectsIn, strict, origins, extensions },
    report: telemetry.report,
    isLoopback: (url) => checkHost(url).loopback,
  })
}

function resourceOf(own: OwnResource | undefined) {
  return own?.scope === undefined ? undefined : { path: own.pattern.source, scope: own.scope }
}
