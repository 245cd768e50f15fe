/** Begins one recording for all that read a request. */
import type { Recording } from '../dispatch/recording.ts'
import type { RequestObserver, RequestReader } from '../ports/request-observer.ts'
import { observedBy } from '../ports/request-observer.ts'
import type { Recorder } from '../ports/telemetry.ts'
import type { Telemetry } from '../telemetry/create-telemetry.ts'
import { beginRecording, httpStart } from '../transport/begin-recording.ts'
import type { WaitUntil } from '../transport/entrance.ts'
import { Observers } from './observers.ts'

export interface RequestRecorder {
  /** Begins the recording of a request at the endpoint, which ends it. Undefined for one that nothing reads. */
  begin(request: Request, env: unknown, ctx: WaitUntil): Recording | undefined
  /**
   * Records any other request.
   *
   * @param route the path as the app knows it
   * @param isServed whether its host is
   */
  elsewhere(
    request: Request,
    env: unknown,
    ctx: WaitUntil,
    { route, isServed }: { readonly route: string | undefined; readonly isServed: boolean },
    serve: (observer: RequestObserver | undefined) => Promise<Response>,
  ): Promise<Response>
}

/**
 * @param readers of requests besides telemetry
 * @returns undefined when nothing reads requests, so that nothing is created for them
 */
export function createRequestRecorder(
  { report, recorder }: Telemetry,
  readers: readonly RequestReader[],
  isKnownMethod: Recorder['isKnownMethod'],
): RequestRecorder | undefined {
  if (recorder === undefined && readers.length === 0) return undefined

  const observe = (request: Request, env: unknown, ctx: WaitUntil): Observers | undefined => {
    let observers: RequestObserver[] | undefined
    for (const reader of readers) {
      const observer = reader.begin(request, env, (work) => ctx.waitUntil(work))
      if (observer === undefined) continue
      observers ??= []
      observers.push(observer)
    }
    return observers && new Observers(observers)
  }

  /** A recorder that reports to the observers too. */
  const observedRecorder = (observers: Observers): Recorder => ({
    report: observedBy(observers, report),
    isKnownMethod,
    recordsSpans: recorder?.recordsSpans === true || observers.receivesSpans,
    enter: (env) => recorder?.enter(env),
    flush: (waitUntil) => recorder?.flush(waitUntil),
  })

  return {
    begin(request, env, ctx) {
      const observers = readers.length === 0 ? undefined : observe(request, env, ctx)
      const used = observers === undefined ? recorder : observedRecorder(observers)
      const waitUntil = (promise: Promise<unknown>) => ctx.waitUntil(promise)
      return used && beginRecording(used, request, env, waitUntil, observers)
    },

    async elsewhere(request, env, ctx, { route, isServed }, serve) {
      const observers = isServed ? observe(request, env, ctx) : undefined
      recorder?.enter(env)
      const { trace: _, ...start } = httpStart(request, undefined)
      const response = await serve(observers)
      observers?.answered(response, false)
      recorder?.report({
        ...start,
        type: 'http-request',
        durationMs: Math.max(0, Date.now() - start.startedAt),
        route,
        status: response.status,
      })
      recorder?.flush((promise) => ctx.waitUntil(promise))
      return response
    },
  }
}
