/**
 * `timeline()`: records how clients connect, and says where they stop.
 *
 * The host of a request alone never makes it one of development: any client can send `Host: localhost`. What a step
 * means is decided when it is read, so a better check explains what is already recorded.
 */

import type { Feature } from '../../../../src/feature/index.ts'
import {
  type AppContext,
  createFeature,
  type FeatureParts,
  objects,
} from '../../../../src/internal.ts'
import { perObject } from '../../../../src/platform/per-object.ts'
import type { TimelineStore } from '../objects/log/port.ts'
import { TIMELINE_STORE } from '../objects/log/port.ts'
import { createTimelineStore } from '../objects/log/step-store.ts'
import { TimelineObject } from '../objects/log/timeline-object.ts'
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

const MISSING_BINDING = 'The timeline is stored in objects, and the binding MCP_OBJECTS is missing'

/** What `timeline()` brings to `edgeway`. */
export interface TimelineApi {
  /**
   * The connection timeline.
   *
   * @throws {TypeError} without the binding `MCP_OBJECTS`
   */
  readonly timeline: TimelineControl
}

export type TimelineFeature = Feature<'timeline', TimelineApi>

/**
 * Records every step of discovery, registration, authorization and the first calls of each client: in
 * development always, in production while the owner has switched it on.
 *
 * @throws {TypeError} for an invalid option
 */
export function timeline({ share = 1 }: TimelineOptions = {}): TimelineFeature {
  if (!(share > 0 && share <= 1)) throw new TypeError('share must be above 0 and at most 1')
  return createFeature('timeline', (app) => createParts(app, share), [objects()])
}

function createParts(app: AppContext, share: number): FeatureParts<TimelineApi> {
  const writerOf = perObject((store: TimelineStore) => new StepWriter(store, share))
  const control = (env: unknown): TimelineControl => {
    const store = app.servicesOf(env).of(TIMELINE_STORE)
    if (store === undefined) throw new TypeError(MISSING_BINDING)
    return createTimelineControl(store, () => writerOf(store).look())
  }
  return {
    parts: { timeline: { create: (state, env) => new TimelineObject(state, env) } },
    keyedServices: [
      TIMELINE_STORE.with((bindings) => {
        const objects = app.objectsIn(bindings).of<TimelineObject>('timeline')
        return objects && createTimelineStore(objects)
      }),
    ],
    reader: {
      begin(request, env, background) {
        const store = app.servicesOf(env).of(TIMELINE_STORE)
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
