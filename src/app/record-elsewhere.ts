/** Records the requests outside of the endpoint, which records its own. */
import type { Context, MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import type { Recorder } from '../dispatch/recorder.ts'
import type { AuthGate } from '../feature/auth-config.ts'
import type { Route } from '../feature/route.ts'
import { executionContextOf } from '../mount.ts'
import type { Observe } from '../ports/request-observer.ts'
import type { HostCheck } from '../security/host.ts'
import type { AppPaths } from './paths.ts'

/** The observers of the requests outside of the endpoint that are being served. */
export type ObserveOf = WeakMap<Request, Observe>

interface RecordElsewhereOptions {
  readonly paths: AppPaths
  readonly gate: AuthGate | undefined
  readonly routes: readonly Route[]
  readonly checkHost: HostCheck
  readonly observeOf: ObserveOf
}

export function createRecordElsewhere(
  recorder: Recorder,
  options: RecordElsewhereOptions,
): MiddlewareHandler {
  const { gate, routes, checkHost, observeOf } = options
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
    const ctx = executionContextOf(c)
    const waitUntil = (work: Promise<unknown>) => ctx.waitUntil(work)
    await recorder.elsewhere(c.req.raw, c.env, waitUntil, place, async (observe) => {
      if (observe !== undefined) observeOf.set(c.req.raw, observe)
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
