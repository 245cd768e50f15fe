/**
 * The auth gate. It builds its parts once per environment and origin, because both decide issuer and
 * audience. `embedded.ts` and `external.ts` pass in what to build and which paths to serve.
 */

import type { AuthGate, AuthGateContext } from '../feature/auth-config.ts'
import { LruMap } from '../platform/lru-map.ts'
import { perEnvironment } from '../platform/per-object.ts'
import type { Observe } from '../ports/request-observer.ts'
import {
  configuredOrigins,
  ORIGIN_VARIABLE,
  type OriginOptions,
  type Origins,
  originOf,
  originVariable,
} from '../security/configured-origins.ts'
import { errorResponse, preflight } from './json-response.ts'
import { OAuthError } from './oauth-error.ts'
import { refusalResponse } from './resource/challenge.ts'
import type { ResourceServer } from './resource/resource-server.ts'
import { checkResources, type Resources, WELL_KNOWN } from './resource/resources.ts'
import type { TokenSelection } from './resource/verified-tokens.ts'

/** Where the parts of authorization are built for. */
export interface AuthPlace {
  /** The origin of this server: the issuer of `embedded()`, and part of every audience. */
  readonly origin: string
  /** All origins of this server. */
  readonly origins: Origins
  readonly resources: Resources
  readonly env: unknown
  /** Removes tokens from the caches of all origins in this isolate. */
  readonly evict: (tokens: TokenSelection) => void
}

export interface AuthParts {
  readonly origin: string
  readonly resourceServer: ResourceServer
}

/** Serves one path, with the parts or with the error that prevented building them. Never rejects. */
export type AuthRoute<Parts> = (
  request: Request,
  parts: Parts | OAuthError,
  observe?: Observe,
) => Promise<Response>

/** What a kind of server reads and evicts of the parts, for its own members of the gate. */
export interface BuiltParts<Parts> {
  /** The parts for the origin of a request, or the error that prevented building them, which is reported. */
  open(request: Request, env: unknown): Parts | OAuthError
  /** Removes tokens from the caches of an environment in this isolate. */
  evict(env: unknown, tokens: TokenSelection): void
}

export interface AuthGateOptions<Parts extends AuthParts> extends OriginOptions {
  /** Further URLs of the first resource of the first origin. Default: none. */
  readonly aliases?: readonly string[] | undefined
  /**
   * Checks the options that need no environment.
   *
   * @throws {TypeError} when one is invalid
   */
  readonly check: (resources: Resources) => void
  /** @throws {TypeError} when a binding is missing or an option is invalid */
  readonly build: (place: AuthPlace) => Parts
  /** The served paths beside the metadata of the resources. Default: none. */
  readonly routes?: ReadonlyMap<string, AuthRoute<Parts>>
  /** The members of the gate that not every kind of server has. */
  readonly members: (built: BuiltParts<Parts>) => Pick<AuthGate, 'renewCaller'> & Partial<AuthGate>
}

/** Parts kept per environment: for each configured origin, or for the loopback names of requests. */
const MAX_ORIGINS = 16

/** Stands for the origin of the environment while options are checked. */
const ANY_ORIGIN = 'https://mcp.example.com'

/** @throws {TypeError} when an option is invalid */
export function createAuthGate<Parts extends AuthParts>(
  context: AuthGateContext,
  options: AuthGateOptions<Parts>,
): AuthGate {
  const { aliases = [], check, routes = new Map(), members } = options
  const possible = resourcesAt(configuredOrigins(options)?.[0] ?? ANY_ORIGIN, context, aliases)
  checkResources(possible)
  check(possible)
  const { find, open, evict } = createParts(context, { ...options, aliases })
  return {
    async authenticate(request, env, path, background) {
      const parts = open(request, env)
      if (parts instanceof OAuthError) return refusalResponse(503, parts.message, undefined)
      return parts.resourceServer.authenticate(request, `${parts.origin}${path}`, background)
    },
    challenge(request, env, path, auth, scopes) {
      const parts = open(request, env)
      if (parts instanceof OAuthError) return 'Bearer error="insufficient_scope"'
      const resource = `${parts.origin}${path}`
      return parts.resourceServer.insufficientScope(resource, scopes, { auth, request })
    },
    async isStillAuthorized(request, env) {
      const parts = open(request, env)
      return parts instanceof OAuthError ? false : parts.resourceServer.isStillAuthorized(request)
    },
    async recheck(request, env, path, subject) {
      const { origin, resourceServer } = find(request, env)
      resourceServer.evict({ subject })
      return resourceServer.recheck(request, `${origin}${path}`)
    },
    ...members({ open, evict }),
    paths: [...routes.keys(), `${WELL_KNOWN}/*`],
    route(request, env, pathname, observe) {
      const route = routes.get(pathname)
      if (route !== undefined) return route(request, open(request, env), observe)
      if (!pathname.startsWith(WELL_KNOWN)) return undefined
      const response = metadataResponse(request, open(request, env))
      return response && Promise.resolve(response)
    },
  }
}

/** Builds the parts of an environment and origin when a request needs them first. */
function createParts<Parts extends AuthParts>(
  context: AuthGateContext,
  { aliases, build, ...options }: AuthGateOptions<Parts> & { readonly aliases: readonly string[] },
) {
  const configured = configuredOrigins(options)
  const partsIn = perEnvironment(() => new LruMap<Parts>(MAX_ORIGINS))
  const originsFor = ({ url }: Request, env: unknown) =>
    configured ?? originVariable(env) ?? (context.isLoopback(url) ? loopbackOrigin(url) : undefined)
  /** @throws what prevents building the parts */
  const find = (request: Request, env: unknown): Parts => {
    const origins = originsFor(request, env)
    if (origins === undefined) throw new OAuthError('temporarily_unavailable', ORIGIN_UNKNOWN)
    const origin = originOf(origins, request.url)
    const byOrigin = partsIn(env)
    const cached = byOrigin.get(origin)
    if (cached !== undefined) return cached
    // An alias at several origins would make a token of one valid at another.
    const resources = resourcesAt(origin, context, origin === origins[0] ? aliases : [])
    const parts = build({ origin, origins, resources, env, evict: (tokens) => evict(env, tokens) })
    byOrigin.set(origin, parts)
    return parts
  }
  const open = (request: Request, env: unknown): Parts | OAuthError => {
    try {
      return find(request, env)
    } catch (error) {
      context.report({ type: 'internal-error', error })
      if (error instanceof OAuthError) return error
      // RFC 6749 §5.2 has no code for a 503 of the token endpoint. §4.1.2.1 defines this one as the
      // equivalent of the status.
      return new OAuthError('temporarily_unavailable', UNAVAILABLE, { cause: error })
    }
  }
  const evict: BuiltParts<Parts>['evict'] = (env, tokens) => {
    for (const [, { resourceServer }] of partsIn(env)) resourceServer.evict(tokens)
  }
  return { find, open, evict }
}

const ORIGIN_UNKNOWN = `This server does not know its own address: set ${ORIGIN_VARIABLE} to its https origin`
const UNAVAILABLE = 'Authorization is not available at the moment'

const loopbackOrigin = (url: string): Origins => [new URL(url).origin]

function metadataResponse(request: Request, parts: AuthParts | OAuthError): Response | undefined {
  if (!(parts instanceof OAuthError)) return parts.resourceServer.metadata(request)
  return request.method === 'OPTIONS' ? preflight('GET, HEAD, OPTIONS') : errorResponse(parts)
}

/** Each path of the endpoint is a resource. The first one has the aliases. */
function resourcesAt(
  origin: string,
  { paths, pathFamilies, aliasPaths, adminResource, serverName }: AuthGateContext,
  aliases: readonly string[],
): Resources {
  const at = (path: string) => `${origin}${path}`
  const families = pathFamilies.map(({ template, matches }) => ({
    template: at(template),
    origin,
    matches,
    name: serverName,
  }))
  const [first, ...others] = paths.map((path) => ({ resource: at(path), name: serverName }))
  const admin = adminResource
    ? [{ resource: at(adminResource.path), ownScope: adminResource.scope }]
    : []
  if (first === undefined) return { single: admin, families }
  const single = [{ ...first, aliases: [...aliases, ...aliasPaths.map(at)] }, ...others, ...admin]
  return { single, families }
}
