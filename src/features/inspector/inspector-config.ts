/** The option `inspector` as the app sees it. Types alone: an app without the option bundles no code of it. */
import type { AuthGate } from '../../feature/auth-config.ts'
import type { RequestReader } from '../../ports/request-observer.ts'
import type { Recorder, TelemetrySink } from '../../ports/telemetry.ts'
import type { Implementation } from '../../protocol/content.ts'
import type { WaitUntil } from '../../transport/entrance.ts'
import type { Limits } from '../../transport/limits.ts'
import type { Timeline, TimelineContext } from '../timeline/timeline-config.ts'

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

/** What the app gives to the inspector. */
export interface InspectorContext extends TimelineContext {
  readonly gate: AuthGate | undefined
  readonly info: Implementation
  /** The paths of the endpoint without params. */
  readonly paths: readonly string[]
  readonly limits: Limits
  /** The timeline that the inspector shows. */
  readonly timeline: Timeline
}

export interface Inspector extends RequestReader {
  /** The recorder of the objects of sessions and tasks, which reports to telemetry too. */
  recorderOfObjects(
    report: TelemetrySink,
    recorder: Recorder | undefined,
    isKnownMethod: Recorder['isKnownMethod'],
  ): Recorder
  /** The response at a path of the inspector; undefined for any other path, and for one that is hidden. */
  route(request: Request, env: unknown, ctx: WaitUntil): Promise<Response | undefined>
}
