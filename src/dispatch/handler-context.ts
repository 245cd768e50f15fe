/**
 * Implements the context of a handler for one call. Members are computed on first access; those of features
 * are looked up in the extensions of the deployment. Functions do not depend on `this`, because handlers
 * destructure the context.
 */
import { ConfigurationError } from '../platform/configuration-error.ts'
import { showsViews } from '../protocol/apps.ts'
import type { Codec } from '../protocol/codec/codec.ts'
import { withoutCredentials } from '../protocol/credential-headers.ts'
import { isJsonObject } from '../protocol/json.ts'
import { passesLogLevel } from '../protocol/log-level.ts'
import { metaOf, readTraceContext } from '../protocol/meta.ts'
import type { ClientContext, Context, RequestContext } from '../server/context.ts'
import { type ContextWithJob, JOB_JOURNAL } from '../server/job-journal.ts'
import type { CallerAuth } from '../server/upstream.ts'
import type { Call } from './call.ts'
import { callerAuth } from './caller-auth.ts'
import type { HandlerRun } from './handler-run.ts'
import type { SentMessages } from './journal/sent-record.ts'
import { createUnpublished } from './unpublished.ts'

/** The run of a handler. Internal: not part of the public API. */
export let runOf: (ctx: Context) => HandlerRun | undefined

/** The value to pass to `createEdgeway` for a member of the context. */
const BROUGHT_BY = {
  elicit: 'asks()',
  sample: 'asks()',
  listRoots: 'asks()',
  step: 'asks()',
  sleep: 'asks()',
  waitFor: 'asks()',
  webhook: 'asks()',
  state: 'state()',
  file: 'files()',
  files: 'files()',
  page: 'files()',
  upload: 'files()',
  emit: 'events()',
} as const

export class HandlerContext implements ContextWithJob {
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

  get progress(): Context['progress'] {
    return createProgress(this.#run.call, this.#run.codec, () => this.#run.reportable)
  }

  get log(): Context['log'] {
    return createLog(this.#run.call, () => this.#run.sendable)
  }

  get waitUntil(): Context['waitUntil'] {
    // Like the platform, which takes any value. A query of some libraries has `then` alone.
    return (work) => this.#run.call.run.waitUntil(Promise.resolve(work))
  }

  get session() {
    return this.#find('session')
  }

  get closeStream(): Context['closeStream'] {
    return this.#find('closeStream') ?? (() => undefined)
  }

  get task() {
    return this.#find('task')
  }

  get notify() {
    return this.#find('notify') ?? createUnpublished(this.#run.call.deployment)
  }

  get elicit() {
    return this.#member('elicit')
  }

  get sample() {
    return this.#member('sample')
  }

  get listRoots() {
    return this.#member('listRoots')
  }

  get step() {
    return this.#member('step')
  }

  get sleep() {
    return this.#member('sleep')
  }

  get waitFor() {
    return this.#member('waitFor')
  }

  get webhook() {
    return this.#member('webhook')
  }

  get state() {
    return this.#member('state')
  }

  get file() {
    return this.#member('file')
  }

  get files() {
    return this.#member('files')
  }

  get page() {
    return this.#member('page')
  }

  get upload() {
    return this.#member('upload')
  }

  get emit() {
    return this.#member('emit')
  }

  get [JOB_JOURNAL]() {
    return this.#find(JOB_JOURNAL)
  }

  #find<Name extends keyof ContextWithJob>(name: Name): ContextWithJob[Name] | undefined {
    return this.#run.call.deployment.extensions.context[name]?.(this.#run)
  }

  /** @throws {ConfigurationError} that names the feature to pass */
  #member<Name extends keyof typeof BROUGHT_BY>(name: Name): Context[Name] {
    const { [name]: member } = this.#run.call.deployment.extensions.context
    if (member !== undefined) return member(this.#run)
    throw new ConfigurationError(`ctx.${name} needs features: [${BROUGHT_BY[name]}]`)
  }

  get #headers(): Headers {
    this.#readHeaders ??= withoutCredentials(this.#run.call.request.headers)
    return this.#readHeaders
  }
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
): Context['progress'] {
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
function createLog({ client, run }: Call, sent: () => SentMessages | undefined): Context['log'] {
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
