/** `timeline()`: records how clients connect, and says where they stop. */
import { createLogClass } from '../../../durable-objects/log/log-object.ts'
import {
  createTimelineStore,
  type TimelineNamespace,
} from '../../../durable-objects/log/step-store.ts'
import { TRAFFIC_PART } from '../../../durable-objects/log/traffic-part.ts'
import { bindingOf } from '../../feature/binding.ts'
import { createFeature } from '../../feature/create-feature.ts'
import type { AppContext, Feature, FeatureParts } from '../../feature/feature.ts'
import { perObject } from '../../platform/per-object.ts'
import type { TimelineStore } from '../../ports/timeline.ts'
import { inspectRoutes } from './inspect-routes.ts'
import { RecordedStep, type WriteStep } from './recorded-step.ts'
import { createTimelineHandler } from './serve-timeline.ts'
import { placeOf } from './step-kind.ts'
import { StepWriter } from './step-writer.ts'
import { createTimelineControl, type TimelineControl } from './timeline-control.ts'

export interface TimelineOptions {
  /**
   * The share of connections that are recorded, above 0 and at most 1. A connection is recorded whole or not
   * at all. Default 1.
   */
  readonly share?: number
}

const MISSING_BINDING =
  'The timeline is stored in the binding MCP_LOG, which is missing. Export the class McpLog, bind it, and list it in a migration'

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
  const writerOf = perObject((store: TimelineStore) => new StepWriter(store, share))
  const control = (env: unknown): TimelineControl => {
    const store = app.servicesOf(env).timeline()
    if (store === undefined) throw new TypeError(MISSING_BINDING)
    return createTimelineControl(store, () => writerOf(store).look())
  }
  return {
    objects: { McpLog: createLogClass((tables) => TRAFFIC_PART.of(app.extensions)[0]?.(tables)) },
    bindings: ['MCP_LOG'],
    services: {
      timeline: (bindings) => {
        const objects = bindingOf<TimelineNamespace>(bindings, 'MCP_LOG')
        return objects && createTimelineStore(objects, app.audience)
      },
    },
    reader: {
      begin(request, env, background) {
        const store = app.servicesOf(env).timeline()
        if (store === undefined) return undefined
        const writer = writerOf(store)
        const isDevelopment = app.origins.isDevelopment(request, env)
        if (!isDevelopment && !writer.isOn(Date.now())) return undefined
        const place = placeOf(request, app.patternOf)
        const write: WriteStep = (toStep) => background(writer.write(isDevelopment, toStep))
        return place && new RecordedStep(request, place, write)
      },
    },
    // The inspector shows the timeline as a part of it.
    routes: () =>
      app.partsOf('inspector') === undefined
        ? inspectRoutes('The timeline', app, createTimelineHandler(app, control))
        : [],
    api: { timeline: control },
  }
}
