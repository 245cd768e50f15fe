/** The option `inspector` as the app sees it. Types alone: an app without the option bundles no code of it. */
import type { AppContext } from '../../feature/feature.ts'
import type { RequestReader } from '../../ports/request-observer.ts'
import type { WaitUntil } from '../../transport/entrance.ts'
import type { Timeline } from '../timeline/timeline-config.ts'

export interface InspectorOptions {
  /**
   * The subjects who may use the inspector outside of development, in a browser that is signed in to this
   * server. Default: none, so that it exists in development alone.
   */
  readonly owners?: readonly string[]
  /**
   * Whether production shows the arguments and results of all subjects. Otherwise those of subjects who do
   * not watch are shown as the names of their members and their JSON types. Default false.
   */
  readonly bodies?: boolean
}

export interface InspectorContext {
  /** Its members are complete when a request needs them. */
  readonly app: AppContext
  /** The timeline that the inspector shows. */
  readonly timeline: Timeline
}

export interface Inspector extends RequestReader {
  /** The response at a path of the inspector; undefined for any other path, and for one that is hidden. */
  route(request: Request, env: unknown, ctx: WaitUntil): Promise<Response | undefined>
}
