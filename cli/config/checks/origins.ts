/** Check: the origin of a server, which a server with authorization needs, and the routes that lead to it. */
import { type Detected, detected } from '../../doctor/detected.ts'
import { isPrivateHost } from '../../doctor/http/addresses.ts'
import { quoted } from '../../doctor/text.ts'
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
  const protectedApps = apps.filter(({ auth }) => auth?.origins !== undefined)
  if (isOfDevelopment(config)) {
    if (environment.name !== undefined && isForDevelopment(environment.name)) return []
    return [detected('origin-invalid', `It is ${quoted(DEVELOPMENT)}`)]
  }
  if (protectedApps.length === 0) {
    const invalid = variableOf(config).filter((origin) => !isValid(origin))
    if (invalid.length > 0) return [detected('origin-invalid', `It is ${listed(invalid)}`)]
    return pathFaults(routes, apps, 'any host')
  }
  if (isOriginMissing(environment, project)) {
    if (!isDeployed(environment)) return []
    return [detected('origin-missing', `The variable ${VARIABLE} is not set`)]
  }
  const all = originsOf(environment, protectedApps)
  const invalid = all.filter((origin) => !isValid(origin))
  if (invalid.length > 0) {
    return [detected('origin-invalid', `It is ${listed(invalid)}`)]
  }
  return all.flatMap((origin) => routeFaults(new URL(origin), routes, environment, protectedApps))
}

/** Whether the server needs an origin that the configuration does not give. */
export function isOriginMissing(
  environment: ObservedEnvironment,
  project: ProjectObservations,
): boolean {
  const apps = (project.worker?.apps ?? []).filter(({ auth }) => auth?.origins !== undefined)
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

const isOfDevelopment = (config: WranglerConfig) => variableOf(config).includes(DEVELOPMENT)

const listed = (origins: readonly string[]) => origins.map(quoted).join(', ')

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
  const more = lost.length > 3 ? ` and ${lost.length - 3} more` : ''
  const text = `Of ${host}: ${[...new Set(lost)].slice(0, 3).map(quoted).join(', ')}${more}`
  return [detected('route-incomplete', text)]
}

/** A path of a pattern: `/mcp/{org}` and `/a/:b/*`. */
const exampleOf = (pattern: string) => pattern.replace(/\{[^}]*\}|:\w+|\*/g, 'x')
