/** `timeline()`: records how clients connect, and says where they stop. */
import { createLogClass } from '../../../durable-objects/log/log-object.ts'
import {
  createTimelineStore,
  type EarlierTimelineNamespace,
  type TimelineNamespace,
} from '../../../durable-objects/log/step-store.ts'
import { TRAFFIC_PART } from '../../../durable-objects/log/traffic-part.ts'
import { bindingOf } from '../../feature/binding.ts'
import { createFeature } from '../../feature/create-feature.ts'
import type { AppContext, Feature, FeatureParts } from '../../feature/feature.ts'
import { createTimeline, type TimelineOptions } from './create-timeline.ts'
import { inspectRoutes } from './inspect-routes.ts'
import { setTimeline } from './installed.ts'
import type { TimelineControl } from './timeline-control.ts'

/** What `timeline()` brings to `edgeway`. */
export interface TimelineApi {
  /**
   * The connection timeline.
   *
   * @throws {TypeError} without the binding `MCP_LOG`
   */
  readonly timeline: TimelineControl
}

export type TimelineFeature = Feature<'timeline', 'McpLog', TimelineApi>

/**
 * Records every step of discovery, registration, authorization and the first calls of each client: in
 * development always, in production while the owner has switched it on.
 *
 * @throws {TypeError} for an invalid option
 */
export function timeline({ share = 1 }: TimelineOptions = {}): TimelineFeature {
  if (!(share > 0 && share <= 1)) throw new TypeError('share must be above 0 and at most 1')
  return createFeature('timeline', (app) => createParts(app, share))
}

function createParts(app: AppContext, share: number): FeatureParts<'McpLog', TimelineApi> {
  const created = createTimeline(app, share)
  setTimeline(app, created)
  return {
    objects: { McpLog: createLogClass((tables) => TRAFFIC_PART.of(app.extensions)[0]?.(tables)) },
    bindings: ['MCP_LOG'],
    services: {
      timeline: (bindings) => {
        const objects = bindingOf<TimelineNamespace>(bindings, 'MCP_LOG')
        const keyring = bindingOf<EarlierTimelineNamespace>(bindings, 'MCP_KEYRING')
        return objects && createTimelineStore(objects, app.audience, keyring)
      },
    },
    reader: created,
    // The inspector shows the timeline as a part of it.
    routes: () =>
      app.partsOf('inspector') === undefined
        ? inspectRoutes('The timeline', app, (request, env) => created.route(request, env))
        : [],
    api: { timeline: created.control },
  }
}
