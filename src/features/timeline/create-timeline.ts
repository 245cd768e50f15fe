/** The timeline of an app. */
import { Recorder } from './recorder.ts'
import { serveTimeline, TIMELINE_JSON_PATH, TIMELINE_PATH } from './serve-timeline.ts'
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

export function createTimeline(context: TimelineContext, share: number): Timeline {
  const isDevelopment = (request: Request, env: unknown) =>
    context.origins.isDevelopment(request, env)
  const recorders = new WeakMap<object, Recorder>()

  /** Undefined without the binding of the log: nothing can be stored. */
  const recorderOf = (env: unknown): Recorder | undefined => {
    if (typeof env !== 'object' || env === null) return undefined
    const known = recorders.get(env)
    if (known !== undefined) return known
    const store = context.servicesOf(env).timeline()
    if (store === undefined) return undefined
    const recorder = new Recorder(store, context.patternOf, share)
    recorders.set(env, recorder)
    return recorder
  }

  const control: Timeline['control'] = (env) => {
    const store = context.servicesOf(env).timeline()
    if (store === undefined) throw new TypeError(MISSING_BINDING)
    return createTimelineControl(store, () => recorderOf(env)?.look())
  }

  return {
    control,
    begin(request, env, background) {
      const recorder = recorderOf(env)
      if (recorder === undefined) return undefined
      const inDevelopment = isDevelopment(request, env)
      if (!inDevelopment && !recorder.isOn(Date.now())) return undefined
      // The URL of a malformed host cannot be parsed, and its request is refused.
      return URL.canParse(request.url)
        ? recorder.begin(request, inDevelopment, background)
        : undefined
    },
    route(request, env) {
      if (!URL.canParse(request.url)) return undefined
      const { pathname } = new URL(request.url)
      if (pathname !== TIMELINE_PATH && pathname !== TIMELINE_JSON_PATH) return undefined
      if (recorderOf(env) === undefined || !isDevelopment(request, env)) return undefined
      return serveTimeline(request, context.checkHost(request.url), control(env))
    },
  }
}
