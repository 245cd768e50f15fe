/** The context that a handler is given, over one call. Nothing is computed before it is asked for. */

import type { Codec } from '../protocol/codec/codec.ts'
import { isJsonObject } from '../protocol/json.ts'
import { type LogLevel, passesLogLevel } from '../protocol/log-level.ts'
import { metaOf, readTraceContext } from '../protocol/meta.ts'
import type { ClientContext, Context, RequestContext } from '../server/context.ts'
import type { Call } from './call.ts'

export class HandlerContext implements Context {
  readonly #call: Call
  readonly #codec: Codec
  #lastProgress = Number.NEGATIVE_INFINITY
  #closed = false

  constructor(call: Call, codec: Codec) {
    this.#call = call
    this.#codec = codec
    // Handlers may destructure the context, so its functions must not depend on `this`.
    this.progress = this.progress.bind(this)
    this.log = this.log.bind(this)
    this.waitUntil = this.waitUntil.bind(this)
  }

  get auth() {
    return this.#call.auth
  }

  get env() {
    return this.#call.env
  }

  get signal() {
    return this.#call.cancellation.signal
  }

  get client(): ClientContext {
    const { clientInfo: info, clientCapabilities: capabilities } = this.#call
    const { id: protocolVersion, era } = this.#codec.revision
    return { info, capabilities, protocolVersion, era }
  }

  get request(): RequestContext {
    const { id, method, headers, params } = this.#call
    const meta = metaOf(params)
    return { id, method, headers, meta, trace: readTraceContext(meta) }
  }

  async progress(progress: number, total?: number, message?: string): Promise<void> {
    if (!Number.isFinite(progress) || (total !== undefined && !Number.isFinite(total))) {
      throw new TypeError('ctx.progress takes finite numbers')
    }
    const { progressToken, notify } = this.#call
    if (this.#closed || progressToken === undefined || progress <= this.#lastProgress) return
    this.#lastProgress = progress
    const params = this.#codec.progressParams(progressToken, { progress, total, message })
    await notify('notifications/progress', params)
  }

  async log(level: LogLevel, data: unknown, logger?: string): Promise<void> {
    const { logLevel, notify } = this.#call
    if (this.#closed || logLevel === undefined || !passesLogLevel(level, logLevel)) return
    const params = { level, data: data ?? null, ...(logger === undefined ? undefined : { logger }) }
    if (isJsonObject(params)) await notify('notifications/message', params)
  }

  waitUntil(promise: Promise<unknown>): void {
    this.#call.waitUntil(promise)
  }

  /** After the answer nothing more may be sent for a request. */
  close(): void {
    this.#closed = true
  }
}
