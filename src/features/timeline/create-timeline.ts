/** The timeline of an app. */
import type { TimelineStore } from '../../ports/timeline.ts'
import { forEachStore } from './batch-writer.ts'
import { RecordedStep } from './recorded-step.ts'
import { serveTimeline, TIMELINE_JSON_PATH, TIMELINE_PATH } from './serve-timeline.ts'
import { placeOf } from './step-kind.ts'
import { StepWriter } from './step-writer.ts'
import type { Timeline, TimelineContext } from './timeline-config.ts'
import { createTimelineControl } from './timeline-control.ts'

export interface TimelineOptions {
  /**
   * The share of connections that are recorded, above 0 and at most 1. A connection is recorded whole or not
   * at all. Default 1.
   */
  readonly share?: number
}

const MISSING_BINDING =
  'The timeline is stored in the binding MCP_LOG, which is missing. Export the class McpLog, bind it, and list it in a migration'

export function createTimeline(app: TimelineContext, share: number): Timeline {
  const writerOf = forEachStore((store: TimelineStore) => new StepWriter(store, share))
  const control: Timeline['control'] = (env) => {
    const store = app.servicesOf(env).timeline()
    if (store === undefined) throw new TypeError(MISSING_BINDING)
    return createTimelineControl(store, () => writerOf(store)?.look())
  }
  return {
    control,
    begin(request, env, background) {
      const writer = writerOf(app.servicesOf(env).timeline())
      if (writer === undefined) return undefined
      const isDevelopment = app.origins.isDevelopment(request, env)
      if (!isDevelopment && !writer.isOn(Date.now())) return undefined
      const place = placeOf(request, app.patternOf)
      return (
        place &&
        new RecordedStep(request, place, (toStep) =>
          background(writer.write(isDevelopment, toStep)),
        )
      )
    },
    route(request, env) {
      if (!URL.canParse(request.url)) return undefined
      const { pathname } = new URL(request.url)
      if (pathname !== TIMELINE_PATH && pathname !== TIMELINE_JSON_PATH) return undefined
      if (app.servicesOf(env).timeline() === undefined) return undefined
      if (!app.origins.isDevelopment(request, env)) return undefined
      return serveTimeline(request, app.checkHost(request.url), control(env))
    },
  }
}
