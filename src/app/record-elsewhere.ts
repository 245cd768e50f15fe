/** Records the requests outside of the endpoint, which records its own. */
import type { Context, MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import type { AuthGate } from '../feature/auth-config.ts'
import type { Route } from '../feature/route.ts'
import { executionContextOf } from '../mount.ts'
import type { RequestObserver } from '../ports/request-observer.ts'
import type { HostCheck } from '../security/host.ts'
import type { AppPaths } from './paths.ts'
import type { RequestRecorder } from './record-requests.ts'

/** The observers of the requests outside of the endpoint that are being served. */
export type ObserversOf = WeakMap<Request, RequestObserver>

interface RecordElsewhereOptions {
  readonly paths: AppPaths
  readonly gate: AuthGate | undefined
  readonly routes: readonly Route[]
  readonly checkHost: HostCheck
  readonly observersOf: ObserversOf
}

export function createRecordElsewhere(
  recorder: RequestRecorder,
  options: RecordElsewhereOptions,
): MiddlewareHandler {
  const { gate, routes, checkHost, observersOf } = options
  const secretPaths = routes.flatMap(({ recordedAs = [] }) => recordedAs)
  const { endpointPaths, httpSse } = options.paths
  const routeOf = (pathname: string): string | undefined => {
    if (pathname === '/') return pathname
    const withSecret = secretPaths.find((path) => pathname.startsWith(`${path}/`))
    return withSecret ?? gate?.paths.find((path) => path === pathname)
  }
  return async (c, next) => {
    // The URL of a malformed host cannot be parsed, and is refused.
    if (!URL.canParse(c.req.url)) return next()
    const { pathname } = new URL(c.req.url)
    const sse = httpSse?.isServed(c.env) ? httpSse.endpoints.find(pathname) : undefined
    if ((endpointPaths.find(pathname) ?? sse) !== undefined) return next()
    const route = routeOf(pathname) ?? ownRouteOf(c, routes)
    const place = { route, isServed: checkHost(c.req.url).served }
    await recorder.elsewhere(c.req.raw, c.env, executionContextOf(c), place, async (observer) => {
      if (observer !== undefined) observersOf.set(c.req.raw, observer)
      await next()
      return c.res
    })
  }
}

/** The pattern of the author's route that serves the request. A pattern contains nothing of the request. */
function ownRouteOf(c: Context, routes: readonly Route[]): string | undefined {
  const own = matchedRoutes(c).find(
    ({ method, path }) =>
      // Middleware for all paths is no route.
      !(method === 'ALL' && path.endsWith('*')) && !routes.some((route) => route.path === path),
  )
  return own?.path
}
