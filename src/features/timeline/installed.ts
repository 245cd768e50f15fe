/** The timelines of apps, for the features that show one. */
import type { AppContext } from '../../feature/feature.ts'
import type { TimelineControl } from './timeline-control.ts'

/** @throws {TypeError} without the binding of the log */
type ControlOf = (env: unknown) => TimelineControl

const timelines = new WeakMap<AppContext, ControlOf>()

export function setTimeline(app: AppContext, control: ControlOf): void {
  timelines.set(app, control)
}

/** Undefined in an app without `timeline()`. */
export function timelineOf(app: AppContext): ControlOf | undefined {
  return timelines.get(app)
}
