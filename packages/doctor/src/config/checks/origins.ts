/** Check: the origin of a server, which a server with authorization needs, and the routes that lead to it. */

import { firstOf, quoted } from '../../../../text/src/quoted.ts'
import { type Detected, detected } from '../../doctor/detected.ts'
import { isPrivateHost } from '../../doctor/http/addresses.ts'
import type { DescribedApp } from '../inspector.ts'
import {
  type Check,
  isForDevelopment,
  type ObservedEnvironment,
  type ProjectObservations,
} from '../project-observations.ts'
import type { WranglerConfig } from '../wrangler.ts'
import { matchesHost, matchesPath, type Route, routesOf } from './routes.ts'

const VARIABLE = 'EDGEWAY_ORIGIN'

/** Opens the inspector, and the sign-in without a passphrase, to requests that say that they are local. */
const DEVELOPMENT = 'development'

export const origins: Check = (environment, project) => {
  const { config } = environment
  const routes = routesOf(config)
  const apps = project.worker?.apps ?? []
  const protectedApps = protectedIn(project)
  if (variableOf(config).includes(DEVELOPMENT)) {
    if (environment.name !== undefined && isForDevelopment(environment.name)) return []
    return [detected('origin-invalid', `It is ${quoted(DEVELOPMENT)}`)]
  }
  if (protectedApps.length === 0) {
    const invalid = invalidFaults(variableOf(config))
    return invalid.length > 0 ? invalid : pathFaults(routes, apps, 'any host')
  }
  if (isOriginMissing(environment, project)) {
    if (!isDeployed(environment)) return []
    return [detected('origin-missing', `The variable ${VARIABLE} is not set`)]
  }
  const all = originsOf(environment, protectedApps)
  const invalid = invalidFaults(all)
  if (invalid.length > 0) return invalid
  return all.flatMap((origin) => routeFaults(new URL(origin), routes, environment, protectedApps))
}

/** The apps with an origin of their own. */
export const protectedIn = ({ worker }: Pick<ProjectObservations, 'worker'>) =>
  (worker?.apps ?? []).filter(({ auth }) => auth?.origins !== undefined)

/** Whether the server needs an origin that the configuration does not give. */
export function isOriginMissing(
  environment: ObservedEnvironment,
  project: ProjectObservations,
): boolean {
  const apps = protectedIn(project)
  const isConfigured =
    environment.config.keep_vars === true ||
    (environment.config.secrets?.required ?? []).includes(VARIABLE)
  return !isConfigured && apps.length > 0 && originsOf(environment, apps).length === 0
}

/** Local secrets do not reach a deployment. */
function originsOf({ config }: ObservedEnvironment, apps: readonly DescribedApp[]) {
  const needsVariable = apps.some(({ auth }) => auth?.origins?.length === 0)
  const options = apps.flatMap(({ auth }) => auth?.origins ?? [])
  return [...new Set([...options, ...(needsVariable ? variableOf(config) : [])])]
}

function variableOf({ vars }: WranglerConfig): readonly string[] {
  const value = vars[VARIABLE]
  return typeof value === 'string' ? value.split(/[\s,]+/).filter((text) => text !== '') : []
}

/** Those of the origins that no deployment can have. */
function invalidFaults(origins: readonly string[]): readonly Detected[] {
  const invalid = origins.filter((origin) => !isValid(origin)).map(quoted)
  return invalid.length === 0 ? [] : [detected('origin-invalid', `It is ${invalid.join(', ')}`)]
}

/** Whether the environment is certainly deployed: a project without routes may be for development. */
function isDeployed({ name, config }: ObservedEnvironment): boolean {
  return name === undefined ? routesOf(config).length > 0 : !isForDevelopment(name)
}

function isValid(origin: string): boolean {
  if (!URL.canParse(origin)) return false
  const url = new URL(origin)
  if (url.origin !== origin) return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isPrivateHost(url))
}

function routeFaults(
  origin: URL,
  routes: readonly Route[],
  environment: ObservedEnvironment,
  apps: readonly DescribedApp[],
): readonly Detected[] {
  if (!isDeployed(environment) && isPrivateHost(origin)) return []
  const fault = hostFault(origin, routes, environment)
  if (fault !== undefined)
    return [detected('origin-not-routed', `${quoted(origin.origin)}: ${fault}`)]
  // Hosted clients connect to port 443 alone.
  if (origin.port !== '' && !isPrivateHost(origin)) {
    return [detected('port-not-443', `The origin of the server is ${quoted(origin.origin)}`)]
  }
  const own = routes.filter((route) => matchesHost(route, origin.hostname))
  return pathFaults(own, apps, origin.hostname)
}

function hostFault(
  { hostname }: URL,
  routes: readonly Route[],
  { config }: ObservedEnvironment,
): string | undefined {
  if (hostname.endsWith('.workers.dev')) return workersDevFault(hostname, routes, config)
  if (isPrivateHost(new URL(`https://${hostname}`))) return 'it is a local name'
  // A domain may also be attached in the dashboard.
  if (routes.length === 0 || routes.some((route) => matchesHost(route, hostname))) return undefined
  return `the routes are of ${routes.map(({ host }) => quoted(host)).join(', ')}`
}

function workersDevFault(hostname: string, routes: readonly Route[], config: WranglerConfig) {
  const isServed = config.workers_dev ?? routes.length === 0
  if (!isServed) return 'workers_dev is not true'
  const [name] = hostname.split('.')
  return name === config.name ? undefined : `the name of the Worker is ${quoted(config.name)}`
}

/** Routes that lead to a part of the paths. Without routes, all paths of workers.dev lead to the Worker. */
function pathFaults(
  routes: readonly Route[],
  apps: readonly DescribedApp[],
  host: string,
): readonly Detected[] {
  if (routes.length === 0) return []
  const paths = apps.flatMap((app) => app.paths).map(exampleOf)
  const lost = paths.filter((path) => !routes.some((route) => matchesPath(route, path)))
  if (lost.length === 0) return []
  return [detected('route-incomplete', `Of ${host}: ${firstOf([...new Set(lost)].map(quoted))}`)]
}

/** A path of a pattern: `/mcp/{org}` and `/a/:b/*`. */
const exampleOf = (pattern: string) => pattern.replace(/\{[^}]*\}|:\w+|\*/g, 'x')
