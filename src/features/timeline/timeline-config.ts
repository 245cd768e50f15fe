/** The option `timeline` as the app sees it. Types alone: an app without the option bundles no code of it. */

import type { AppContext } from '../../feature/feature.ts'
import type { RequestReader } from '../../ports/request-observer.ts'
import type { TimelineControl } from './timeline-control.ts'

/** What the app gives to the timeline. Some members exist only when requests arrive. */
export type TimelineContext = Pick<AppContext, 'servicesOf' | 'checkHost' | 'origins' | 'patternOf'>

export interface Timeline extends RequestReader {
  /** The timeline itself, for its owner; undefined for any other path, and outside of development. */
  route(request: Request, env: unknown): Promise<Response> | undefined
  readonly control: (env: unknown) => TimelineControl
}
