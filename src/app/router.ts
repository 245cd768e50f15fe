/** Routes every request that is not at a path of the endpoint in its normal form, by a table of paths. */
import type { Context, MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import { Hono } from 'hono/tiny'
import type { Route } from '../feature/route.ts'
import { executionContextOf, MOUNT_ERROR } from '../mount.ts'
import type { TelemetrySink } from '../ports/telemetry.ts'
import type { Entrance } from '../transport/entrance.ts'
import { internalErrorResponse } from '../transport/respond.ts'

export interface RouterOptions {
  /** In the order in which they match. Rows that give way are the last ones. */
  readonly routes: readonly Route[]
  /** Serves every other path. */
  readonly notFound: (request: Request) => Promise<Response>
  readonly refuseHost: Entrance['refuseHost']
  /** Runs before each row; undefined for none. */
  readonly middleware: MiddlewareHandler | undefined
  readonly report: TelemetrySink
}

export function createRouter<Env>(options: RouterOptions): Hono<{ Bindings: Env & object }> {
  const { routes, notFound, refuseHost, middleware, report } = options
  const app = new Hono<{ Bindings: Env & object }>()
  if (middleware !== undefined) app.use(middleware)
  for (const { path, handle, givesWay = false, isOwn, leave } of routes) {
    app.all(path, async (c, next) => {
      if (leave && laterRoutes(c).some((route) => route.path === path)) {
        leave(c.req.raw)
        return next()
      }
      if (givesWay && isReplaced(c, path)) return next()
      // The host is checked first, because the URL of a malformed host cannot be parsed.
      const refused = await refuseHost(c.req.raw)
      if (refused !== undefined) return refused
      if (isOwn && isReplaced(c, path) && !(await isOwn(c.req.raw, c.env))) return next()
      return (await handle(c.req.raw, c.env, executionContextOf(c))) ?? next()
    })
  }
  app.notFound(async (c) => {
    const refused = await refuseHost(c.req.raw)
    return refused ?? notFound(c.req.raw)
  })
  app.onError((error) => {
    if (error.name === MOUNT_ERROR) throw error
    report({ type: 'internal-error', error })
    return internalErrorResponse(undefined, error)
  })
  return app
}

/** The later routes that match too, in the app or in one that it is mounted in. */
const laterRoutes = (c: Context) => matchedRoutes(c).slice(c.req.routeIndex + 1)

/** Middleware for all paths is no route. The same pattern is that of another app. */
function isReplaced(c: Context, pattern: string): boolean {
  return laterRoutes(c).some(
    ({ method, path }) => path === pattern || !(method === 'ALL' && path.endsWith('*')),
  )
}
