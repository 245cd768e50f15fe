/** The inspector of an app: shows what requests do, as it happens. */
import type { Background } from '../../ports/authenticator.ts'
import type { RequestObserver } from '../../ports/request-observer.ts'
import { recordedPath, stepKindOf } from '../timeline/step-kind.ts'
import type { Inspector, InspectorContext, InspectorOptions } from './inspector-config.ts'
import { createObjectRecorder } from './object-recorder.ts'
import { createInspectorRoutes } from './serve-inspector.ts'
import { TrafficWriter } from './traffic-writer.ts'
import { WatchedRequest } from './watched-request.ts'

/** @throws {TypeError} for an invalid option */
export function checkInspectorOptions(options: InspectorOptions): Required<InspectorOptions> {
  const { owners = [], bodies = false } = options
  if (!Array.isArray(owners) || owners.some((owner) => typeof owner !== 'string' || owner === '')) {
    throw new TypeError('owners must be a list of subjects')
  }
  if (typeof bodies !== 'boolean') throw new TypeError('bodies must be true or false')
  return { owners, bodies }
}

export function createInspector(
  context: InspectorContext,
  { owners, bodies }: Required<InspectorOptions>,
): Inspector {
  const { servicesOf, patternOf, timeline } = context
  let routes: Inspector['route'] | undefined
  const writers = new WeakMap<object, TrafficWriter>()

  /** Undefined without the binding of the log: nothing can be stored. */
  const writerOf = (env: unknown): TrafficWriter | undefined => {
    if (typeof env !== 'object' || env === null) return undefined
    const known = writers.get(env)
    if (known !== undefined) return known
    const store = servicesOf(env).traffic()
    if (store === undefined) return undefined
    const writer = new TrafficWriter(store)
    writers.set(env, writer)
    return writer
  }

  /** Records the request, whose bodies are shown as the rules of the place say. */
  const watch = (
    request: Request,
    writer: TrafficWriter,
    inDevelopment: boolean,
    background: Background,
  ): RequestObserver | undefined => {
    const { pathname } = new URL(request.url)
    const isEndpoint = patternOf(pathname) !== undefined
    if (stepKindOf(request.method, pathname, isEndpoint) === undefined) return undefined
    const isOpen = inDevelopment || bodies
    return new WatchedRequest(
      request,
      { path: recordedPath(pathname, patternOf), isEndpoint },
      {
        background,
        showsBodies: (subject) => isOpen || writer.isWatchedBy(subject),
        ownerOf: (subject) => (isOpen ? null : (subject ?? null)),
        write: (at, owner, entry) =>
          writer.write({ at, owner, entry: JSON.stringify(entry) }, background),
      },
    )
  }

  return {
    recorderOfObjects: (report, recorder, isKnownMethod) =>
      createObjectRecorder(report, recorder, writerOf, isKnownMethod),
    begin(request, env, background) {
      const writer = writerOf(env)
      if (writer === undefined) return undefined
      const now = Date.now()
      const inDevelopment = context.origins.isDevelopment(request, env)
      if (inDevelopment || writer.isWatched(now)) {
        // The URL of a malformed host cannot be parsed, and its request is refused.
        return URL.canParse(request.url)
          ? watch(request, writer, inDevelopment, background)
          : undefined
      }
      if (writer.isLookDue(now) && owners.length > 0) writer.look(now, background)
      return undefined
    },
    // What the app knows when it is complete.
    route: (request, env, ctx) => {
      routes ??= createInspectorRoutes(context, timeline, { owners, bodies })
      return routes(request, env, ctx)
    },
  }
}
