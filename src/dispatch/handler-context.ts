/**
 * Implements the context of a handler for one call. Members are computed on access; those of features are getters of a class
 * that each app creates. Functions do not depend on `this`, because handlers destructure the context.
 */
import { ConfigurationError } from '../platform/configuration-error.ts'
import { showsViews } from '../protocol/apps.ts'
import type { Codec } from '../protocol/codec/codec.ts'
import { withoutCredentials } from '../protocol/credential-headers.ts'
import { isJsonObject } from '../protocol/json.ts'
import { passesLogLevel } from '../protocol/log-level.ts'
import { metaOf, readTraceContext } from '../protocol/meta.ts'
import type {
  ClientContext,
  CoreContext,
  FullContext,
  Notify,
  RequestContext,
} from '../server/context.ts'
import type { CallerAuth } from '../server/upstream.ts'
import type { Call } from './call.ts'
import { callerAuth } from './caller-auth.ts'
import type { ContextMembers } from './extensions.ts'
import type { HandlerRun } from './handler-run.ts'
import type { SentMessages } from './journal/sent-record.ts'
import { createUnpublished } from './unpublished.ts'

/** The run of a handler. Internal: not part of the public API. */
export let runOf: (ctx: object) => HandlerRun | undefined

export class HandlerContext implements CoreContext<unknown> {
  readonly #run: HandlerRun
  #readHeaders: Headers | undefined
  #auth: CallerAuth | undefined

  static {
    runOf = (ctx) => (ctx instanceof HandlerContext ? ctx.#run : undefined)
  }

  constructor(run: HandlerRun) {
    this.#run = run
  }

  get auth() {
    this.#auth ??= callerAuth(this.#run.call)
    return this.#auth
  }

  get env() {
    return this.#run.call.deployment.env
  }

  get signal() {
    return this.#run.call.run.cancellation.signal
  }

  get client(): ClientContext {
    return clientContext(this.#run.call, this.#run.codec)
  }

  get request(): RequestContext {
    const { id, method, params } = this.#run.call.request
    const meta = metaOf(params)
    const readHeaders = () => this.#headers
    return {
      id,
      method,
      meta,
      trace: readTraceContext(meta),
      get headers() {
        return readHeaders()
      },
    }
  }

  get progress(): CoreContext['progress'] {
    return createProgress(this.#run.call, this.#run.codec, () => this.#run.reportable)
  }

  get log(): CoreContext['log'] {
    return createLog(this.#run.call, () => this.#run.sendable)
  }

  get waitUntil(): CoreContext['waitUntil'] {
    // Like the platform, which takes any value. A query of some libraries has `then` alone.
    return (work) => this.#run.call.run.waitUntil(Promise.resolve(work))
  }

  get session(): CoreContext['session'] {
    return undefined
  }

  get task(): CoreContext['task'] {
    return undefined
  }

  get closeStream(): CoreContext['closeStream'] {
    return () => undefined
  }

  get notify(): Notify {
    return createUnpublished(this.#run.call.deployment)
  }

  get #headers(): Headers {
    this.#readHeaders ??= withoutCredentials(this.#run.call.request.headers)
    return this.#readHeaders
  }
}

/** Creates the context of a run. */
export type ContextClass = new (run: HandlerRun) => FullContext

/**
 * The contexts of an app, with the members of its features.
 *
 * @param absent the features that bring further members, by member: reading one throws an error that names its feature
 */
export function contextClassOf(
  members: ContextMembers,
  absent: Readonly<Record<string, string>>,
): ContextClass {
  class AppContext extends HandlerContext {}
  const define = (name: string | symbol, get: (this: AppContext) => unknown) =>
    Object.defineProperty(AppContext.prototype, name, { get, configurable: true })
  for (const [name, feature] of Object.entries(absent)) {
    // Some do something sensible without their feature.
    if (name in HandlerContext.prototype) continue
    define(name, () => {
      throw new ConfigurationError(
        `ctx.${name} needs ${feature}(): add it to uses of createServer, or to features`,
      )
    })
  }
  for (const name of Reflect.ownKeys(members) as (keyof ContextMembers)[]) {
    define(name, function () {
      const run = runOf(this)
      return run && members[name]?.(run)
    })
  }
  return AppContext as unknown as ContextClass
}

/** `ctx.client`: what a handler may know of its client, with the asks that the client can answer. */
function clientContext(call: Call, { revision }: Codec): ClientContext {
  const { info, capabilities, era } = call.client
  const { rounds } = call.deployment.extensions
  return {
    info,
    capabilities,
    protocolVersion: revision.id,
    era,
    can: (kind) => rounds?.canAsk(call, kind) === true,
    showsViews: showsViews(capabilities),
  }
}

/**
 * `ctx.progress`.
 *
 * @param sent returns undefined after the answer of the call: progress must not follow it
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress
 */
function createProgress(
  { request, run }: Call,
  codec: Codec,
  sent: () => SentMessages | undefined,
): CoreContext['progress'] {
  return async (progress, total, message) => {
    if (!Number.isFinite(progress) || (total !== undefined && !Number.isFinite(total))) {
      throw new TypeError('ctx.progress needs finite numbers')
    }
    const { progressToken } = request
    const isReported = progressToken !== undefined || run.task !== undefined
    if (!isReported || sent()?.addProgress(progress) !== true) return
    run.task?.reportProgress({ progress, total, message })
    if (progressToken === undefined) return
    const params = codec.progressParams(progressToken, { progress, total, message })
    await run.notify('notifications/progress', params)
  }
}

/**
 * `ctx.log`.
 *
 * @param sent returns undefined after the answer of the call: nothing is sent after it
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging
 */
function createLog(
  { client, run }: Call,
  sent: () => SentMessages | undefined,
): CoreContext['log'] {
  return async (level, data, logger) => {
    const { logLevel } = client
    if (logLevel === undefined || !passesLogLevel(level, logLevel)) return
    const params = {
      level,
      data: data ?? null,
      ...(logger === undefined ? undefined : { logger }),
    }
    if (!isJsonObject(params) || sent()?.addLog(params) !== true) return
    await run.notify('notifications/message', params)
  }
}
