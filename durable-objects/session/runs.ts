/**
 * The requests of a session from their beginning to their answer. One that is quick and silent leaves
 * no trace; any other has a row, so that it outlives this object's memory: it waits for answers
 * without being held, and one that was cut off is taken up again or ended with a word.
 */
import type { Deployment } from '../../src/dispatch/call.ts'
import type { CallSession } from '../../src/dispatch/call-session.ts'
import { failureOutcome } from '../../src/dispatch/failure.ts'
import { Suspension } from '../../src/dispatch/journal/suspension.ts'
import { type Outcome, settleCall } from '../../src/dispatch/outcome.ts'
import { beforeWaiting } from '../../src/dispatch/settle.ts'
import { withDeadline } from '../../src/platform/deadline.ts'
import { MAIN_STREAM, type SessionPost, type SessionReply } from '../../src/ports/sessions.ts'
import type { Codec } from '../../src/protocol/codec/codec.ts'
import { ErrorCode } from '../../src/protocol/error-codes.ts'
import type { RequestId, RequestMessage } from '../../src/protocol/json-rpc.ts'
import { ProtocolError } from '../../src/protocol/protocol-error.ts'
import type { Asks } from './asks.ts'
import type { ClientState } from './client-state.ts'
import { Delivery } from './delivery.ts'
import { type Memory, Run, readMemory, readRequest, resumeRun } from './run.ts'
import { answerOf, answerText } from './run-answer.ts'
import { Retention, type RunRow } from './schema.ts'
import { recallSent } from './sent-messages.ts'
import { createCall } from './session-call.ts'
import type { SessionHost } from './session-host.ts'
import type { SessionStorage } from './session-storage.ts'
import type { StreamLogs } from './stream-logs.ts'

/** How often a run is taken up again, and how often it may ask. */
const MAX_INTERRUPTIONS = 3
const MAX_ROUNDS = 100

export interface RunsContext {
  readonly deployment: Deployment
  readonly waitUntil: (promise: Promise<unknown>) => void
  readonly sessionOf: (run: Run) => CallSession
  /** Called when something is kept that an alarm must look after, at this time at the latest. */
  readonly onPersisted: (until?: number) => void
}

export class Runs {
  /** Those that are running, by the ids of their requests as JSON: a session has no two alike. */
  readonly #live = new Map<string, Run>()
  readonly #storage: SessionStorage
  readonly #logs: StreamLogs
  readonly #asks: Asks
  readonly #client: ClientState
  readonly #host: SessionHost
  readonly #context: RunsContext

  constructor(
    storage: SessionStorage,
    logs: StreamLogs,
    asks: Asks,
    client: ClientState,
    host: SessionHost,
    context: RunsContext,
  ) {
    this.#storage = storage
    this.#logs = logs
    this.#asks = asks
    this.#client = client
    this.#host = host
    this.#context = context
  }

  get isIdle(): boolean {
    return this.#live.size === 0
  }

  /** Serves the requests of one POST, but for those that it has given up again. */
  async begin(
    post: Omit<SessionPost, 'claims'>,
    requests: readonly RequestMessage[],
    cancelled: ReadonlySet<RequestId>,
  ): Promise<SessionReply> {
    const why = this.#refusal(requests)
    if (why !== undefined) return { kind: 'refused', why }
    const delivery = this.#deliveryOf(post)
    const { sessionId, auth, headers, form } = post
    const runs = requests.map(({ kind: _, ...request }) => {
      const run = new Run(this.#storage, { ...request, sessionId, auth, headers }, delivery)
      run.cancelledByClient = cancelled.has(request.id)
      return run
    })
    const settled = this.#startAll(runs, delivery)
    await beforeWaiting(settled, runs)
    const quick = runs.every(({ outcome }) => outcome !== undefined)
    if (!quick && form === 'json') await settled
    else if (!quick)
      await withDeadline(this.#host.limits.streamAfterMs, Promise.race([settled, delivery.opened]))
    const answers = runs.flatMap((run) => answerOf(run, this.#codec) ?? [])
    if (form !== 'sse' && !delivery.isOpen && answers.length === runs.length) {
      const [only] = answers
      const isPlain = answers.length === 1 && only !== undefined && only.missingScopes === undefined
      return isPlain ? only.body : { kind: 'answers', answers }
    }
    this.open(delivery, runs)
    return { kind: 'stream', stream: delivery.stream }
  }

  /** Opens the log of a POST; from now on its runs outlive this object's memory. */
  open(delivery: Delivery, runs: readonly Run[] = this.#runsOf(delivery)): void {
    if (delivery.isOpen) return
    this.#storage.transaction(() => {
      this.#client.persist()
      this.#logs.open(delivery.stream, delivery.kind)
      // First all rows, so that the stream does not end with the first answer.
      for (const run of runs) run.persist()
    })
    delivery.open()
    this.#context.onPersisted()
    for (const run of runs) if (run.outcome !== undefined) this.#deliver(run, run.outcome)
  }

  /** Sends a message on the stream of a run, where it can have one. */
  async emit(run: Run, message: string): Promise<void> {
    const { delivery, cancelledByClient, outcome } = run
    if (!delivery.mayStream || cancelledByClient || outcome !== undefined) return
    this.open(delivery)
    this.#logs.append(delivery.stream, message, Retention.prunable, run.id)
    await this.#logs.room(delivery.stream)
  }

  /** Goes on with a run that has its answers. */
  resume(runId: string): void {
    const row = this.#storage.existing?.run(runId)
    if (row !== undefined) this.#resume(row, readMemory(row))
  }

  /** Ends a request that its client has given up, without an answer. */
  cancel(requestId: RequestId): void {
    const key = JSON.stringify(requestId)
    const live = this.#live.get(key)
    if (live !== undefined) {
      live.cancelledByClient = true
      live.cancellation.cancel('by-client')
      return
    }
    const row = this.#storage.existing?.runByRequest(key)
    if (row === undefined) return
    this.#storage.transaction(() => {
      this.#asks.withdraw(row.id, row.stream_id, 'The request was cancelled')
      this.#close(row.id, row.stream_id)
    })
  }

  /** Takes care of whatever was running when this object was last in memory. */
  recover(): void {
    const { existing } = this.#storage
    const running = existing?.runningRuns() ?? []
    for (const row of running.flatMap((id) => existing?.run(id) ?? [])) {
      if (this.#live.has(row.request_id)) continue
      const { method, params } = readRequest(this.#storage, row)
      const repeatable = this.#host.dispatcher.isRepeatable(method, params)
      if (repeatable && row.interruptions < MAX_INTERRUPTIONS) {
        existing?.countInterruption(row.id)
        this.#resume(row, recallSent(readMemory(row), this.#logs.messagesOf(row.stream_id, row.id)))
      } else {
        const advice = repeatable
          ? 'It may be called again.'
          : 'Part of its work may have been done: check before calling it again.'
        this.#fail(row, `The server was interrupted while this was running. ${advice}`)
      }
    }
  }

  /** Ends the runs whose questions nobody has answered in time. */
  expire(now: number): void {
    for (const runId of new Set(this.#asks.expired(now).map(({ run_id }) => run_id))) {
      const row = this.#storage.existing?.run(runId)
      if (row !== undefined) this.#fail(row, 'Nobody answered in time. It may be called again.')
    }
  }

  /** Stops everything: the session was ended. */
  abandon(): void {
    for (const run of this.#live.values()) {
      run.cancelledByClient = true
      run.finished = true
      run.cancellation.cancel('session-ended')
    }
    this.#live.clear()
  }

  get #codec(): Codec {
    return this.#host.dispatcher.codec(this.#client.revision)
  }

  #refusal(requests: readonly RequestMessage[]): 'id-in-use' | 'too-many-requests' | undefined {
    const { existing } = this.#storage
    const ids = new Set(requests.map(({ id }) => JSON.stringify(id)))
    const isUsed = (id: string) => this.#live.has(id) || existing?.runByRequest(id) !== undefined
    if (ids.size < requests.length || [...ids].some(isUsed)) return 'id-in-use'
    // Whoever asks whether the session is alive is told so, however busy it is.
    const counted = requests.filter(({ method }) => method !== 'ping').length
    if (counted === 0) return undefined
    const total = this.#live.size + (existing?.countWaiting() ?? 0) + counted
    return total > this.#host.limits.requestsInFlight ? 'too-many-requests' : undefined
  }

  #deliveryOf({ form }: Pick<SessionPost, 'form'>): Delivery {
    return this.#client.claims.transport === 'http-sse'
      ? new Delivery(MAIN_STREAM, 'main', form)
      : new Delivery(undefined, 'answer', form)
  }

  #runsOf(delivery: Delivery): Run[] {
    return [...this.#live.values()].filter((run) => run.delivery === delivery)
  }

  /**
   * One after the other: the answers of one POST are held together until the last is there, so their
   * sum is bounded. One that waits for answers lets the next begin.
   */
  async #startAll(runs: readonly Run[], delivery: Delivery): Promise<void> {
    for (const run of runs) this.#live.set(run.key, run)
    let size = 0
    for (const run of runs) {
      if (run.cancelledByClient) {
        run.outcome = failureOutcome(this.#codec, '', 'The request was cancelled')
        if (delivery.isOpen) this.#deliver(run, run.outcome)
        else this.#live.delete(run.key)
        continue
      }
      if (size >= this.#host.limits.batchAnswerBytes && !delivery.isOpen) {
        if (delivery.mayStream) this.open(delivery, runs)
        else {
          const text = 'The answers of this batch are too large: send this request by itself'
          run.outcome = new ProtocolError(ErrorCode.internalError, text)
          this.#live.delete(run.key)
          continue
        }
      }
      await this.#start(run)
      size += answerOf(run, this.#codec)?.body.length ?? 0
    }
  }

  async #start(run: Run): Promise<void> {
    this.#live.set(run.key, run)
    const outcome = await this.#settle(run)
    run.outcome = outcome
    if (run.delivery.isOpen) this.#deliver(run, outcome)
    else if (outcome instanceof Suspension) this.open(run.delivery)
    else this.#live.delete(run.key)
  }

  async #settle(run: Run): Promise<Outcome> {
    const { deployment, waitUntil, sessionOf } = this.#context
    try {
      if (run.request.method === 'initialize') this.#client.introduce(run.request.params)
      const effects = { emit: this.emit.bind(this), sessionOf }
      const call = createCall(run, this.#client, deployment, waitUntil, effects)
      return await settleCall(this.#host.dispatcher, this.#client.revision, call)
    } catch (error) {
      if (error instanceof ProtocolError) return error
      throw error
    }
  }

  #deliver(run: Run, outcome: Outcome): void {
    const { id, delivery, request } = run
    run.finished = true
    if (!this.#live.delete(run.key) && !this.#isThere(run)) return
    this.#storage.transaction(() => {
      if (!run.cancelledByClient && outcome instanceof Suspension) {
        this.#suspend(run, outcome)
        return
      }
      if (!run.cancelledByClient) {
        this.#logs.append(
          delivery.stream,
          answerText(request.id, outcome, this.#codec),
          keepOf(delivery.stream),
        )
      }
      this.#close(id, delivery.stream)
    })
  }

  /** Whether it has a row still: a session that was ended has none. */
  #isThere(run: Run): boolean {
    return run.isPersisted && this.#storage.existing?.run(run.id) !== undefined
  }

  #suspend(run: Run, suspension: Suspension): void {
    const row = this.#storage.statements.run(run.id)
    if (row === undefined) return
    if (row.rounds >= MAX_ROUNDS) {
      this.#fail(row, 'It asked too often and was stopped.')
      return
    }
    const { asked, sentProgress, sentLogs } = suspension.state
    this.#storage.statements.setRunWaiting(
      run.id,
      JSON.stringify({ asked, sentProgress, sentLogs }),
    )
    const expiresAt = Date.now() + this.#host.limits.requestStateTtlMs
    this.#asks.send(run.id, run.delivery.stream, suspension, this.#codec, expiresAt)
    this.#context.onPersisted(expiresAt)
  }

  #resume(row: RunRow, memory: Memory): void {
    const kind = row.stream_id === MAIN_STREAM ? 'main' : 'answer'
    const delivery = new Delivery(row.stream_id, kind, 'sse', true)
    const run = resumeRun(this.#storage, row, delivery, memory, this.#client.auth)
    this.#context.onPersisted()
    this.#context.waitUntil(this.#start(run))
  }

  #fail(row: RunRow, text: string): void {
    const { id, method } = readRequest(this.#storage, row)
    const outcome = failureOutcome(this.#codec, method, text)
    this.#storage.transaction(() => {
      this.#asks.withdraw(row.id, row.stream_id, 'The request has ended')
      this.#logs.append(row.stream_id, answerText(id, outcome, this.#codec), keepOf(row.stream_id))
      this.#close(row.id, row.stream_id)
    })
  }

  /** A stream ends with the last request that it belongs to. */
  #close(runId: string, stream: string): void {
    const { statements } = this.#storage
    statements.deleteRun(runId)
    this.#context.onPersisted(Date.now() + this.#host.limits.logRetentionMs)
    if (stream !== MAIN_STREAM && statements.runsOfStream(stream) === 0) this.#logs.end(stream)
  }
}

/** The answer that ends a stream stays as long as the stream; the older transport's goes with time. */
function keepOf(stream: string): Retention {
  return stream === MAIN_STREAM ? Retention.timed : Retention.always
}
