/** The inspector of an app: shows what requests do, as it happens. */
import type { TrafficStore } from '../../ports/traffic.ts'
import { forEachStore } from '../timeline/batch-writer.ts'
import { placeOf } from '../timeline/step-kind.ts'
import type { Inspector, InspectorContext, InspectorOptions } from './inspector-config.ts'
import { createInspectorRoutes } from './serve-inspector.ts'
import { TrafficWriter } from './traffic-writer.ts'
import { observeObject, WatchedRequest } from './watched-request.ts'

/** @throws {TypeError} for an invalid option */
export function checkInspectorOptions(options: InspectorOptions): Required<InspectorOptions> {
  const { owners = [], bodies = false } = options
  if (!Array.isArray(owners) || owners.some((owner) => typeof owner !== 'string' || owner === '')) {
    throw new TypeError('owners must be a list of subjects')
  }
  if (typeof bodies !== 'boolean') throw new TypeError('bodies must be true or false')
  return { owners, bodies }
}

export function createInspector(
  context: InspectorContext,
  { owners, bodies }: Required<InspectorOptions>,
): Inspector {
  const { app } = context
  let routes: Inspector['route'] | undefined
  const writerOf = forEachStore((store: TrafficStore) => new TrafficWriter(store))
  return {
    begin(request, env, background) {
      const writer = writerOf(app.servicesOf(env).traffic())
      if (writer === undefined) return undefined
      const inDevelopment = app.origins.isDevelopment(request, env)
      const until = inDevelopment ? Number.MAX_SAFE_INTEGER : writer.until
      if (Date.now() >= until) {
        if (owners.length > 0) writer.look(background)
        return undefined
      }
      const place = placeOf(request, app.patternOf)
      const isOpen = inDevelopment || bodies
      return place && new WatchedRequest(request, { place, writer, until, isOpen, background })
    },
    resume(exchange, env, background) {
      const writer = writerOf(app.servicesOf(env).traffic())
      return writer && observeObject(writer, exchange, background)
    },
    // What the app knows when it is complete.
    route: (request, env, ctx) => {
      routes ??= createInspectorRoutes(context, { owners, bodies })
      return routes(request, env, ctx)
    },
  }
}
