/** The timelines of apps, for the features that show one. */
import type { AppContext } from '../../feature/feature.ts'
import type { Timeline } from './timeline-config.ts'

const timelines = new WeakMap<AppContext, Timeline>()

export function setTimeline(app: AppContext, timeline: Timeline): void {
  timelines.set(app, timeline)
}

/** Undefined in an app without `timeline()`. */
export function timelineOf(app: AppContext): Timeline | undefined {
  return timelines.get(app)
}
