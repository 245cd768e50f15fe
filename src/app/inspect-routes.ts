/** The paths of the inspector and of the timeline, which is a part of it. */
import type { Inspector } from '../inspect/inspector-config.ts'
import type { TelemetrySink } from '../ports/telemetry.ts'
import { DEVELOPMENT, ORIGIN_VARIABLE } from '../security/configured-origins.ts'
import type { ServerOrigins } from '../security/server-origins.ts'
import type { Timeline } from '../timeline/timeline-config.ts'
import type { Route } from './router.ts'

const PATHS = ['/inspect', '/inspect/*']

interface InspectRouteParts {
  readonly origins: Pick<ServerOrigins, 'isUndeclared'>
  readonly report: TelemetrySink
}

/** None without one of the two options. */
export function inspectRoutes(
  inspector: Inspector | undefined,
  timeline: Timeline | undefined,
  { origins, report }: InspectRouteParts,
): readonly Route[] {
  if (inspector === undefined && timeline === undefined) return []
  let isReported = false
  const handle: Route['handle'] = (request, env, ctx) => {
    // The developer sees the reason in the console. The response says nothing of it.
    if (!isReported && origins.isUndeclared(request, env)) {
      isReported = true
      report({
        type: 'definition-warning',
        subject: inspector === undefined ? 'The timeline' : 'The inspector',
        message: `it is closed, because the host of a request does not show that this server is one of development. On your computer, start it with: wrangler dev --var ${ORIGIN_VARIABLE}:${DEVELOPMENT}`,
      })
    }
    return inspector === undefined
      ? timeline?.route(request, env)
      : inspector.route(request, env, ctx)
  }
  return PATHS.map((path) => ({ path, handle, givesWay: true }))
}
