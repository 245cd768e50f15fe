/**
 * The runs of a session. `../run/decide-run.ts` decides what an event does to a run; this class reads
 * runs from their rows, feeds them events, and applies the effects to storage, logs and handlers.
 */

import type { CallSession } from '../../src/dispatch/call-session.ts'
import { DefinitionError } from '../../src/dispatch/definitions.ts'
import type { DefinedDeployment } from '../../src/dispatch/deployment.ts'
import type { Dispatcher } from '../../src/dispatch/dispatcher.ts'
import { restoreSentRecord } from '../../src/dispatch/journal/sent-record.ts'
import { Suspension } from '../../src/dispatch/journal/suspension.ts'
import { internalError, type Outcome, settleCall } from '../../src/dispatch/outcome.ts'
import { textOf } from '../../src/dispatch/response-text.ts'
import { MAIN_STREAM } from '../../src/ports/sessions.ts'
import type { AuthInfo } from '../../src/protocol/auth-info.ts'
import type { Codec } from '../../src/protocol/codec/codec.ts'
import { ErrorCode } from '../../src/protocol/error-codes.ts'
import { NO_PARAMS } from '../../src/protocol/factory-params.ts'
import type { RequestId, ResponseMessage } from '../../src/protocol/json-rpc.ts'
import { ProtocolError } from '../../src/protocol/protocol-error.ts'
import type { CallerRecords, RunCaller } from '../run/caller-records.ts'
import { decideRun, isLive } from '../run/decide-run.ts'
import { notOfferedAnyMore } from '../run/run-failures.ts'
import type { MemoryEffect, RunEvent } from '../run/run-state.ts'
import { responseOf } from './asks.ts'
import { Delivery } from './delivery.ts'
import { Run } from './run.ts'
import { replyOf } from './run-answer.ts'
import {
  appendAnswer,
  codecOf,
  commitEffect,
  type EffectsContext,
  endIfComplete,
} from './run-effects.ts'
import { type RunRequest, readRequest, readSent, readState } from './run-rows.ts'
import type { RunRow } from './schema.ts'
import { createCall } from './session-call.ts'

export interface RunsContext extends EffectsContext {
  readonly deployment: DefinedDeployment
  readonly waitUntil: (promise: Promise<unknown>) => void
  readonly sessionOf: (run: Run) => CallSession
  readonly callers: CallerRecords
}

/** How long a run waits that could not determine whether its caller still has access. */
const RENEWAL_RETRY_MS = 5_000

export class Runs {
  /** Runs whose handler is in memory, by request id. */
  readonly #live = new Map<string, Run>()
  readonly #context: RunsContext
  #isTerminated = false

  constructor(context: RunsContext) {
    this.#context = context
  }

  get isIdle(): boolean {
    return this.#live.size === 0
  }

  /** How many runs have a handler in memory or wait for responses. */
  get inFlight(): number {
    return this.#live.size + (this.#context.storage.existing?.countWaiting() ?? 0)
  }

  isInUse(requestId: string): boolean {
    const { existing } = this.#context.storage
    return this.#live.has(requestId) || existing?.runByRequest(requestId) !== undefined
  }

  get codec(): Codec {
    return codecOf(this.#context)
  }

  create(request: RunRequest, delivery: Delivery): Run {
    const run = new Run(this.#context.storage, request, delivery)
    this.#live.set(run.requestId, run)
    return run
  }

  /**
   * Gives runs their caller and its definition, before their handlers start: from then on, they may get
   * rows at any time. A run whose caller cannot be sealed, or has no definition, ends with an error.
   */
  async identify(runs: readonly Run[], caller: RunCaller): Promise<void> {
    try {
      const sealed = this.#context.callers.seal(caller)
      const record = sealed instanceof Promise ? await sealed : sealed
      const found = this.#definitionOf(caller.auth)
      const dispatcher = found instanceof Promise ? await found : found
      for (const run of runs) {
        const { method, params } = run.request
        run.auth = caller.auth
        run.grant = caller.grant
        run.callerRecord = record
        run.definition = dispatcher
        run.isRepeatable = dispatcher.isRepeatable(method, params)
      }
    } catch (error) {
      const answer = this.#failureOf(error)
      for (const run of runs) this.apply(run, { type: 'settle', answer })
    }
  }

  /** Runs the handler until it settles or asks. */
  async start(run: Run): Promise<void> {
    const outcome = await this.#execute(run)
    if (outcome instanceof Suspension) {
      const { asks, deployment } = this.#context
      await asks.announce(outcome, run.auth?.subject, deployment)
      const expiresAt = Date.now() + this.#context.host.limits.requestStateTtlMs
      this.apply(run, { type: 'ask', suspension: outcome, expiresAt })
    } else {
      this.apply(run, { type: 'settle', answer: outcome })
    }
  }

  /** Sends a notification of a run, and resolves when the reader of its stream can take more. */
  async notify(run: Run, message: string): Promise<void> {
    if (!run.delivery.mayStream || !this.apply(run, { type: 'notify', message })) return
    await this.#context.logs.waitForCapacity(run.delivery.stream)
  }

  /** Cancels the run of a request, for its client. */
  cancel(requestId: RequestId): void {
    const text = JSON.stringify(requestId)
    const run =
      this.#live.get(text) ?? this.#load(this.#context.storage.existing?.runByRequest(text))
    if (run !== undefined) this.apply(run, { type: 'cancel' })
  }

  /** Records a response to an ask; false when no open ask has its id. */
  respond(message: ResponseMessage): boolean {
    const ask = this.#context.asks.find(message.id)
    const run = ask && this.#load(this.#context.storage.existing?.run(ask.run_id))
    if (ask === undefined || run === undefined) return false
    const response = responseOf(ask, message)
    return this.apply(run, { type: 'respond', key: ask.key, response, now: Date.now() })
  }

  /** Resumes or ends the runs that were running when the object lost its memory. */
  recover(): void {
    for (const row of this.#context.storage.existing?.runningRuns() ?? []) {
      if (this.#live.has(row.request_id)) continue
      const run = this.#load(row)
      const { method, params } = run.request
      const { shared } = this.#context.deployment.definitions
      const isRepeatable = run.isRepeatable ?? shared?.isRepeatable(method, params) ?? false
      this.apply(run, { type: 'recover', isRepeatable })
    }
  }

  /** Ends the runs whose asks have expired. */
  expire(now: number): void {
    for (const runId of this.#context.asks.expiredRuns(now)) {
      const run = this.#load(this.#context.storage.existing?.run(runId))
      if (run !== undefined) this.apply(run, { type: 'expire', now })
    }
  }

  /** Aborts every handler, because the session ends. */
  terminate(): void {
    this.#isTerminated = true
    for (const run of [...this.#live.values()]) this.apply(run, { type: 'terminate' })
  }

  /** Feeds one event to a run; false when it changes nothing. */
  apply(run: Run, event: RunEvent): boolean {
    const { state, effects } = decideRun(run.state, event)
    const { durable, memory } = effects
    const changes = state !== run.state || durable.length > 0
    run.state = state
    if (durable.length > 0) {
      this.#context.storage.transaction(() => {
        for (const effect of durable) {
          commitEffect(this.#context, run, effect)
          // The log of a POST opens with the first of its runs that has a row.
          if (effect.type === 'persist') this.open(run.delivery)
        }
      })
    }
    if (!isLive(state) && this.#live.get(run.requestId) === run) this.#live.delete(run.requestId)
    for (const effect of memory) this.#carryOut(run, effect)
    return changes
  }

  /** Opens the log of a POST. Its runs get rows, and the answers that are held go to the log. */
  open(delivery: Delivery): void {
    if (delivery.isOpen || this.#isTerminated) return
    const { storage, client, logs, host, schedule } = this.#context
    storage.transaction(() => {
      client.persist()
      logs.open(delivery.stream, delivery.kind)
      delivery.open()
      for (const run of this.#live.values()) {
        if (run.delivery === delivery) this.apply(run, { type: 'persist' })
      }
      for (const { body } of delivery.held.splice(0)) {
        appendAnswer(this.#context, delivery.stream, textOf(body))
        // The runs of held answers have no row, so no `finish` schedules the expiry of these events.
        schedule(Date.now() + host.limits.logRetentionMs)
      }
      endIfComplete(this.#context, delivery.stream)
    })
    schedule()
  }

  #carryOut(run: Run, effect: MemoryEffect): void {
    switch (effect.type) {
      case 'reply':
        run.reply = replyOf(run.request.id, effect.answer, this.codec)
        run.delivery.held.push(run.reply)
        run.delivery.answerLength += run.reply.body.length
        return
      case 'renew-caller':
        this.#live.set(run.requestId, run)
        this.#context.waitUntil(this.#renew(run))
        return
      case 'resume':
        if (effect.wasInterrupted) {
          const messages = this.#context.logs.messagesOf(run.delivery.stream, run.id)
          run.sent = restoreSentRecord(run.sent, messages)
        }
        this.#context.waitUntil(this.start(run))
        return
      case 'abort':
        run.cancellation.cancel(effect.reason)
    }
  }

  #load(row: RunRow): Run
  #load(row: RunRow | undefined): Run | undefined
  #load(row: RunRow | undefined): Run | undefined {
    if (row === undefined) return undefined
    const { storage } = this.#context
    const kind = row.stream_id === MAIN_STREAM ? 'main' : 'answer'
    const delivery = new Delivery(row.stream_id, kind, 'sse', true)
    return new Run(storage, readRequest(storage, row), delivery, {
      id: row.id,
      state: readState(row, storage.statements.asksOf(row.id)),
      sent: readSent(row),
      callerRecord: row.caller,
    })
  }

  /** Checks the access of the run's caller. A run whose caller cannot be checked now stays ready. */
  async #renew(run: Run): Promise<void> {
    const { callers, deployment, schedule } = this.#context
    try {
      const renewed = await callers.renew(run.callerRecord)
      run.auth = renewed?.auth
      run.grant = renewed?.grant
      if (renewed !== undefined) run.definition = await this.#findDefinition(renewed.auth)
      this.apply(run, { type: 'renew', isAuthorized: renewed !== undefined })
      if (renewed !== undefined) return
      const { method } = run.request
      deployment.report({ type: 'cancelled', method, reason: 'access-revoked' })
    } catch (error) {
      deployment.report({ type: 'internal-error', error })
      this.#live.delete(run.requestId)
      schedule(Date.now() + RENEWAL_RETRY_MS)
    }
  }

  #definitionOf(auth: AuthInfo | undefined): Dispatcher | Promise<Dispatcher> {
    const { deployment, client } = this.#context
    const { params = NO_PARAMS, name } = client.claims
    return deployment.definitions.of({ auth, params, session: name })
  }

  /** A factory that fails when a run resumes ends the run: it may have no definition ever again. */
  async #findDefinition(auth: AuthInfo | undefined): Promise<Dispatcher | ProtocolError> {
    try {
      return await this.#definitionOf(auth)
    } catch (error) {
      return this.#failureOf(error)
    }
  }

  #failureOf(error: unknown): ProtocolError {
    return error instanceof DefinitionError
      ? new ProtocolError(ErrorCode.internalError, error.message)
      : internalError(this.#context, error)
  }

  async #execute(run: Run): Promise<Outcome> {
    const { client, deployment, waitUntil, sessionOf } = this.#context
    try {
      const { definition: dispatcher } = run
      if (dispatcher === undefined) throw new TypeError('The run has no definition')
      if (dispatcher instanceof ProtocolError) return dispatcher
      const { method, params } = run.request
      if (run.isStored && !dispatcher.offers(method, params, run.auth))
        return notOfferedAnyMore(params)
      if (run.request.method === 'initialize') client.initialize(run.request.params)
      const effects = { notify: this.notify.bind(this), sessionOf }
      const call = createCall(run, client, deployment, waitUntil, effects)
      return await settleCall(dispatcher, client.revision, call)
    } catch (error) {
      if (error instanceof ProtocolError) return error
      throw error
    }
  }
}
