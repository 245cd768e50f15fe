/**
 * `GET /health`: whether this Worker answers, without any call. With `?deep`, whether an object of each class
 * answers: an isolate asks them at most every ten seconds, so the address is no way to flood them.
 */

import type { Route } from '../../feature/route.ts'
import { perEnvironment } from '../../platform/per-object.ts'
import { RefreshingCache } from '../../platform/refreshing-cache.ts'
import type { CheckHealth, Health } from '../../ports/health.ts'
import { drain } from '../../transport/body/drain.ts'
import { PathPattern } from '../../transport/endpoint-paths.ts'

const DEFAULT_HEALTH_PATH = '/health'

const FRESH_MS = 10_000
/** An object may take five seconds. */
const LOAD_TIMEOUT_MS = 6_000

const HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' }

type Cache = RefreshingCache<Health, [env: unknown]>

/**
 * The default path is not served where a path of the endpoint matches it.
 *
 * @param isFree whether no path of the endpoint matches
 * @throws {TypeError} when a path of the endpoint matches the named one
 */
export function findHealthPath(
  option: string | false | undefined,
  isFree: (path: string) => boolean,
): string | undefined {
  if (option === false) return undefined
  const { source, paramNames } = new PathPattern('health', option ?? DEFAULT_HEALTH_PATH)
  if (paramNames.length === 0 && isFree(source)) return source
  if (option === undefined) return undefined
  throw new TypeError(`health "${source}" is a path of this server: name another one`)
}

/** None where no path is free, or the option is false. */
export function healthRoutes(path: string | undefined, checkHealth: CheckHealth): readonly Route[] {
  return path === undefined
    ? []
    : [{ path, handle: createHealthEndpoint(checkHealth), givesWay: true }]
}

function createHealthEndpoint(
  checkHealth: CheckHealth,
): (request: Request, env: unknown) => Promise<Response> {
  const cacheIn = perEnvironment(() => createCache(checkHealth))
  return async (request, env) => {
    await drain(request)
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      const headers = { ...HEADERS, allow: 'GET, HEAD' }
      return respond(request, { status: 'method-not-allowed' }, 405, headers)
    }
    if (!new URL(request.url).searchParams.has('deep')) {
      return respond(request, { status: 'ok' }, 200, HEADERS)
    }
    const health = await cacheIn(env).get('health', {}, env)
    return respond(request, health, health.status === 'ok' ? 200 : 503, HEADERS)
  }
}

function createCache(checkHealth: CheckHealth): Cache {
  return new RefreshingCache({
    load: async (_key, _previous, env) => {
      const loadedAt = Date.now()
      return { value: await checkHealth(env), loadedAt, freshUntil: loadedAt + FRESH_MS }
    },
    loadTimeoutMs: LOAD_TIMEOUT_MS,
    followTimeoutMs: LOAD_TIMEOUT_MS,
    maxStaleAgeMs: FRESH_MS,
    retryAfterMs: 0,
    maxEntries: 1,
    now: () => Date.now(),
  })
}

function respond(
  { method }: Request,
  body: object,
  status: number,
  headers: HeadersInit,
): Response {
  return new Response(method === 'HEAD' ? null : JSON.stringify(body), { status, headers })
}
