/** `inspector()`: a page at `/inspect` that shows what requests do, as it happens. */
import { TRAFFIC_PART } from '../../../durable-objects/log/traffic-part.ts'
import { TrafficLog } from '../../../durable-objects/traffic/traffic-log.ts'
import {
  createTrafficStore,
  type EarlierTrafficNamespace,
  type TrafficNamespace,
} from '../../../durable-objects/traffic/traffic-store.ts'
import { bindingOf } from '../../feature/binding.ts'
import { createFeature } from '../../feature/create-feature.ts'
import type { AppContext, Feature, FeatureParts } from '../../feature/feature.ts'
import { inspectRoutes } from '../timeline/inspect-routes.ts'
import { timelineOf } from '../timeline/installed.ts'
import { type TimelineApi, timeline } from '../timeline/timeline.ts'
import { checkInspectorOptions, createInspector } from './create-inspector.ts'
import type { InspectorOptions } from './inspector-config.ts'

export type InspectorFeature = Feature<'inspector', 'McpLog', TimelineApi>

/**
 * A page at `/inspect` that shows requests, messages, streams and tasks as they happen, the timeline, and
 * the state of the server, and calls tools. In development everyone on the machine may use it.
 *
 * @throws {TypeError} for an invalid option
 */
export function inspector(options: InspectorOptions = {}): InspectorFeature {
  const checked = checkInspectorOptions(options)
  return createFeature('inspector', (app) => createParts(app, checked), [timeline()])
}

function createParts(
  app: AppContext,
  options: Required<InspectorOptions>,
): FeatureParts<'McpLog', TimelineApi> {
  const recorded = timelineOf(app)
  if (recorded === undefined) throw new TypeError('The inspector needs its timeline')
  const created = createInspector({ app, timeline: recorded }, options)
  return {
    services: {
      traffic: (bindings) => {
        const objects = bindingOf<TrafficNamespace>(bindings, 'MCP_LOG')
        const keyring = bindingOf<EarlierTrafficNamespace>(bindings, 'MCP_KEYRING')
        return objects && createTrafficStore(objects, app.audience, keyring)
      },
    },
    extensions: [TRAFFIC_PART.with((tables) => new TrafficLog(tables))],
    reader: created,
    routes: () =>
      inspectRoutes('The inspector', app, (request, env, ctx) => created.route(request, env, ctx)),
  }
}
