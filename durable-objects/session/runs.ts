/**
 * The runs of a session: reads them from their rows, and applies the effects of their events to storage,
 * logs and handlers.
 */

import type { CallSession } from '../../src/dispatch/call-session.ts'
import type { Dispatcher } from '../../src/dispatch/dispatcher.ts'
import { restoreSentRecord } from '../../src/dispatch/journal/sent-record.ts'
import { Suspension } from '../../src/dispatch/journal/suspension.ts'
import { type Answer, type Outcome, settleCall } from '../../src/dispatch/outcome.ts'
import { textOf } from '../../src/dispatch/response-text.ts'
import { MAIN_STREAM } from '../../src/ports/sessions.ts'
import type { AuthInfo } from '../../src/protocol/auth-info.ts'
import type { Codec } from '../../src/protocol/codec/codec.ts'
import { NO_PARAMS } from '../../src/protocol/factory-params.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import type { RequestId, ResponseMessage } from '../../src/protocol/json-rpc.ts'
import { ProtocolError } from '../../src/protocol/protocol-error.ts'
import type { RunCaller } from '../run/caller-records.ts'
import { hasRow, isOver } from '../run/decide-run.ts'
import { type DriverContext, RunDriver } from '../run/run-driver.ts'
import type { AskResponse, DurableEffect, RunEvent, RunState } from '../run/run-state.ts'
import { responseOf } from './asks.ts'
import { Delivery } from './delivery.ts'
import { recordEnd } from './record-run.ts'
import { Run } from './run.ts'
import { replyOf } from './run-answer.ts'
import {
  appendAnswer,
  codecOf,
  commitEffect,
  type EffectsContext,
  endIfComplete,
} from './run-effects.ts'
import { type RunRequest, readRequest, readSent, readState, readUnread } from './run-rows.ts'
import type { RunRow } from './schema.ts'
import { createCall } from './session-call.ts'
import type { SessionServer } from './session-server.ts'

export interface RunsContext extends EffectsContext, DriverContext {
  readonly server: SessionServer
  readonly sessionOf: (run: Run) => CallSession
  /** Called when a request for the result of a task has ended. */
  readonly resultEnded: () => void
}

/** How long after its last wait should have ended a suspended run still takes responses. */
const LATE_ALARM_MS = 24 * 60 * 60 * 1000

export class Runs extends RunDriver<Run> {
  /** Runs whose handler is in memory, by request id. */
  readonly #live = new Map<string, Run>()
  readonly #context: RunsContext
  #isTerminated = false

  constructor(context: RunsContext) {
    super(context)
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
      const found = this.#definitionFor(caller.auth)
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
      const answer = this.failureOf(error)
      for (const run of runs) this.apply(run, { type: 'settle', answer })
    }
  }

  override async start(run: Run): Promise<void> {
    const outcome = await this.#execute(run)
    const { asks, deployment } = this.#context
    if (outcome instanceof Suspension) await asks.announce(outcome, run.auth?.subject, deployment)
    this.settle(run, outcome)
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
    if (ask === undefined || ask.expires_at <= Date.now()) return false
    const run = this.find(ask.run_id)
    if (run === undefined) return false
    // A handler goes on when all its asks are answered. It may race them with other waits.
    const isLast = this.#context.storage.statements.asksOf(run.id).length === 1
    this.give(run, ask.key, responseOf(ask, message), isLast)
    return true
  }

  /** The runs whose handler is in memory. */
  get live(): Iterable<Run> {
    return this.#live.values()
  }

  /** The run with an id, in memory or in its row. */
  find(runId: string): Run | undefined {
    const live = [...this.#live.values()].find(({ id }) => id === runId)
    return live ?? this.#load(this.#context.storage.existing?.run(runId))
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
      const run = this.find(runId)
      if (run !== undefined) this.apply(run, { type: 'expire', now })
    }
  }

  /** Aborts every handler, because the session ends. */
  terminate(): void {
    this.#isTerminated = true
    for (const run of [...this.#live.values()]) this.apply(run, { type: 'terminate' })
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

  protected override transaction(work: () => void): void {
    this.#context.storage.transaction(work)
  }

  protected override commit(run: Run, effect: DurableEffect): void {
    commitEffect(this.#context, run, effect)
    // The log of a POST opens with the first of its runs that has a row.
    if (effect.type === 'persist') this.open(run.delivery)
  }

  protected override record(run: Run, key: string, response: AskResponse): void {
    if (hasRow(run.state)) this.#context.asks.record(run.id, key, response)
  }

  protected override unreadOf({ id }: Run): JsonObject {
    return readUnread(this.#context.storage, id)
  }

  /** An ask is open for its time, and as long as what the handler waits for beside it. */
  protected override expiryOf({ waits }: Suspension): number {
    const askedUntil = Date.now() + this.#context.host.limits.requestStateTtlMs
    const untils = Object.values(waits).map(({ until = 0 }) => until + LATE_ALARM_MS)
    return Math.max(askedUntil, ...untils)
  }

  protected override keep(run: Run): void {
    this.#live.set(run.requestId, run)
  }

  protected override release(run: Run): void {
    if (this.#live.get(run.requestId) === run) this.#live.delete(run.requestId)
    if (isOver(run.state) && run.request.method === 'tasks/result') this.#context.resultEnded()
  }

  protected override prepare(run: Run, wasInterrupted: boolean): void {
    if (!wasInterrupted) return
    const messages = this.#context.logs.messagesOf(run.delivery.stream, run.id)
    run.sent = restoreSentRecord(run.sent, messages)
  }

  protected override reply(run: Run, answer: Answer): void {
    run.reply = replyOf(run.request.id, answer, this.codec)
    run.delivery.held.push(run.reply)
    run.delivery.answerLength += run.reply.body.length
  }

  protected override moved(run: Run, _: RunState, event: RunEvent): void {
    if (this.#context.deployment.recorder === undefined || !isOver(run.state)) return
    recordEnd(run, event, this.#context, this.codec)
  }

  protected override definitionOf(_: Run, auth: AuthInfo | undefined) {
    return this.#definitionFor(auth)
  }

  /** Rows of an earlier version name no server: their session id is sealed for its audience. */
  protected override isOfThisServer({ request }: Run, auth: AuthInfo | undefined) {
    const { client, server } = this.#context
    if (client.storedServer !== undefined) return true
    return server.isSealedHere({ sessionId: request.sessionId, auth })
  }

  #definitionFor(auth: AuthInfo | undefined): Dispatcher | Promise<Dispatcher> {
    const { deployment, client } = this.#context
    const { params = NO_PARAMS, name } = client.claims
    return deployment.definitions.of({ auth, params, session: name })
  }

  #load(row: RunRow): Run
  #load(row: RunRow | undefined): Run | undefined
  #load(row: RunRow | undefined): Run | undefined {
    if (row === undefined) return undefined
    const { storage } = this.#context
    const { statements } = storage
    const kind = row.stream_id === MAIN_STREAM ? 'main' : 'answer'
    const delivery = new Delivery(row.stream_id, kind, 'sse', true)
    const [asks, waits] = [statements.asksOf(row.id), statements.waitsOf(row.id)]
    return new Run(storage, readRequest(storage, row), delivery, {
      id: row.id,
      state: readState(row, { asks, waits }),
      sent: readSent(row),
      callerRecord: row.caller,
    })
  }

  async #execute(run: Run): Promise<Outcome> {
    const { client, deployment, waitUntil, sessionOf } = this.#context
    try {
      const { definition: dispatcher } = run
      if (dispatcher === undefined) throw new TypeError('The run has no definition')
      if (dispatcher instanceof ProtocolError) return dispatcher
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
