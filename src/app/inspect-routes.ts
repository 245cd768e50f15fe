/** The paths of the inspector and of the timeline, which is a part of it. */
import type { Inspector } from '../inspect/inspector-config.ts'
import type { Timeline } from '../timeline/timeline-config.ts'
import type { Route } from './router.ts'

const PATHS = ['/inspect', '/inspect/*']

/** None without one of the two options. */
export function inspectRoutes(
  inspector: Inspector | undefined,
  timeline: Timeline | undefined,
): readonly Route[] {
  if (inspector === undefined && timeline === undefined) return []
  const handle: Route['handle'] = (request, env, ctx) =>
    inspector === undefined ? timeline?.route(request, env) : inspector.route(request, env, ctx)
  return PATHS.map((path) => ({ path, handle, givesWay: true }))
}
