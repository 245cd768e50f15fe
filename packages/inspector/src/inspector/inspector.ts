/** `inspector()`: a page at `/inspect` that shows what requests do, as it happens. */

import type { Feature } from '../../../../src/feature/index.ts'
import { type AppContext, createFeature, type FeatureParts } from '../../../../src/internal.ts'
import { perObject } from '../../../../src/platform/per-object.ts'
import type { RequestReader } from '../../../../src/ports/request-observer.ts'
import type { TrafficStore } from '../objects/traffic/port.ts'
import { TRAFFIC_STORE } from '../objects/traffic/port.ts'
import { TrafficObject } from '../objects/traffic/traffic-object.ts'
import { createTrafficStore } from '../objects/traffic/traffic-store.ts'
import { inspectRoutes } from '../timeline/inspect-routes.ts'
import { timelineOf } from '../timeline/installed.ts'
import { placeOf } from '../timeline/step-kind.ts'
import { type TimelineApi, timeline } from '../timeline/timeline.ts'
import { createInspectorRoutes } from './serve-inspector.ts'
import { TrafficWriter } from './traffic-writer.ts'
import { observeObject, WatchedRequest } from './watched-request.ts'

export interface InspectorOptions {
  /**
   * The subjects who may use the inspector outside of development, in a browser that is signed in to this
   * server. Default: none, so that it exists in development alone.
   */
  readonly owners?: readonly string[]
  /**
   * Whether production shows the arguments and results of all subjects. Otherwise those of subjects who do
   * not watch are shown as the names of their members and their JSON types. Default false.
   */
  readonly bodies?: boolean
}

export type InspectorFeature = Feature<'inspector', TimelineApi>

/**
 * A page at `/inspect` that shows requests, messages, streams and tasks as they happen, the timeline, and
 * the state of the server, and calls tools. In development everyone on the machine may use it.
 *
 * @throws {TypeError} for an invalid option
 */
export function inspector(options: InspectorOptions = {}): InspectorFeature {
  const checked = checkOptions(options)
  return createFeature('inspector', (app) => createParts(app, checked), [timeline()])
}

/** @throws {TypeError} for an invalid option */
function checkOptions(options: InspectorOptions): Required<InspectorOptions> {
  const { owners = [], bodies = false } = options
  if (!Array.isArray(owners) || owners.some((owner) => typeof owner !== 'string' || owner === '')) {
    throw new TypeError('owners must be a list of subjects')
  }
  if (typeof bodies !== 'boolean') throw new TypeError('bodies must be true or false')
  return { owners, bodies }
}

function createParts(
  app: AppContext,
  options: Required<InspectorOptions>,
): FeatureParts<TimelineApi> {
  return {
    parts: { traffic: { create: (state, env) => new TrafficObject(state, env) } },
    keyedServices: [
      TRAFFIC_STORE.with((bindings) => {
        const objects = app.objectsIn(bindings).of<TrafficObject>('traffic')
        return objects && createTrafficStore(objects)
      }),
    ],
    reader: createReader(app, options),
    routes: () => {
      const recorded = timelineOf(app)
      if (recorded === undefined) throw new TypeError('The inspector needs its timeline')
      return inspectRoutes('The inspector', app, createInspectorRoutes(app, recorded, options))
    },
  }
}

function createReader(
  app: AppContext,
  { owners, bodies }: Required<InspectorOptions>,
): RequestReader {
  const writerOf = perObject((store: TrafficStore) => new TrafficWriter(store))
  return {
    begin(request, env, background) {
      const store = app.servicesOf(env).of(TRAFFIC_STORE)
      if (store === undefined) return undefined
      const writer = writerOf(store)
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
      const store = app.servicesOf(env).of(TRAFFIC_STORE)
      return store && observeObject(writerOf(store), exchange, background)
    },
  }
}
