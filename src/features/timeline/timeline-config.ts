/** The option `timeline` as the app sees it. Types alone: an app without the option bundles no code of it. */

import type { RequestReader } from '../../ports/request-observer.ts'
import type { Services } from '../../ports/services.ts'
import type { HostCheck } from '../../security/host.ts'
import type { ServerOrigins } from '../../security/server-origins.ts'
import type { TimelineControl } from './timeline-control.ts'

/** What the app gives to the timeline. */
export interface TimelineContext {
  readonly servicesOf: (env: unknown) => Services
  readonly checkHost: HostCheck
  readonly origins: ServerOrigins
  /** The pattern of the endpoint's path that a path has; undefined for any other path. */
  readonly patternOf: (pathname: string) => string | undefined
}

export interface Timeline extends RequestReader {
  /** The timeline itself, for its owner; undefined for any other path, and outside of development. */
  route(request: Request, env: unknown): Promise<Response> | undefined
  readonly control: (env: unknown) => TimelineControl
}
