/** The timeline of an app, for the features that show it. */
import type { AppContext } from '../../../../src/internal.ts'
import type { TimelineControl } from './timeline-control.ts'

/** @throws {TypeError} without the binding of the log */
type ControlOf = (env: unknown) => TimelineControl

/** Undefined in an app without `timeline()`. To be called when the app is complete. */
export function timelineOf(app: AppContext): ControlOf | undefined {
  const { timeline } = (app.partsOf('timeline')?.api ?? {}) as { timeline?: ControlOf }
  return timeline
}
