/** The runs of a session: what becomes of their asks, notifications and answers is in `run-output.ts`. */
import type { Dispatcher, Dispatchers } from '../../src/dispatch/dispatcher.ts'
import { HELD_CALL } from '../../src/dispatch/journal/journal.ts'
import { restoreSentRecord } from '../../src/dispatch/journal/sent-record.ts'
import { Suspension } from '../../src/dispatch/journal/suspension.ts'
import { type Outcome, settleCall } from '../../src/dispatch/outcome.ts'
import { textOf } from '../../src/dispatch/response-text.ts'
import type { Target } from '../../src/dispatch/target.ts'
import { answerTimeoutMs } from '../../src/features/asks/asks-options.ts'
import type { AuthInfo } from '../../src/protocol/auth-info.ts'
import { NO_PARAMS } from '../../src/protocol/factory-params.ts'
import type { RequestId, ResponseMessage } from '../../src/protocol/json-rpc.ts'
import { ProtocolError } from '../../src/protocol/protocol-error.ts'
import type { RunCaller } from '../run/caller-records.ts'
import { isOver } from '../run/decide-run.ts'
import type { Recipient } from '../run/deliver.ts'
import { RunDriver } from '../run/run-driver.ts'
import { readState } from '../run/run-storage.ts'
import { responseOf } from './asks.ts'
import { Delivery } from './delivery.ts'
import { recordEnd } from './record-run.ts'
import { createRunOutput } from './run-output.ts'
import type { RunRow } from './schema.ts'
import { createCall } from './session-call.ts'
import type { SessionParts } from './session-parts.ts'
import { type SessionRequest, SessionRun } from './session-run.ts'

/** How long after its last wait should have ended a suspended run still takes responses. */
const LATE_ALARM_MS = 24 * 60 * 60 * 1000

export class Runs {
  readonly driver: RunDriver<SessionRun>
  readonly #parts: SessionParts
  #isTerminated = false

  constructor(parts: SessionParts) {
    this.#parts = parts
    const output = createRunOutput(parts)
    this.driver = new RunDriver<SessionRun>(
      {
        ...output,
        insert: (run) => {
          output.insert(run)
          // The log of a POST opens with the first of its runs that has a row.
          this.open(run.delivery)
        },
        endReason: 'session-ended',
        load: (runId) => this.#load(parts.storage.existing?.run(runId)),
        interruptedRuns: () => parts.storage.existing?.runningRuns().map(({ id }) => id) ?? [],
        // The journal is not read before what the log shows as sent is restored.
        isRepeatable: ({ id, isRepeatable, request }) =>
          parts.storage.existing?.entry(id, HELD_CALL) !== undefined ||
          (isRepeatable ?? this.#inShared(request)?.isRepeatable ?? false),
        dispatcherOf: (_, auth) => this.#dispatcherFor(auth),
        execute: (run) => this.#execute(run),
        // An ask is open for its time, and as long as what the handler waits for beside it.
        expiryOf: ({ waits }) => {
          const askedUntil = Date.now() + answerTimeoutMs(parts.deployment)
          const untils = Object.values(waits).map(({ until = 0 }) => until + LATE_ALARM_MS)
          return Math.max(askedUntil, ...untils)
        },
        // The log alone knows all that an interrupted handler has sent.
        restore: (run) => {
          const messages = parts.logs.messagesOf(run.delivery.stream, run.id)
          run.sent = restoreSentRecord(run.sent, messages)
        },
        moved: (run, _, event) => {
          if (!isOver(run.state)) return
          if (run.request.method === 'tasks/result') parts.tasks?.deliver()
          recordEnd(run, event, parts)
        },
      },
      parts,
    )
  }

  get isIdle(): boolean {
    return this.driver.live.size === 0
  }

  /** How many runs have a handler in memory or wait for responses. */
  get inFlight(): number {
    return this.driver.live.size + (this.#parts.storage.existing?.countWaiting() ?? 0)
  }

  isInUse(requestId: string): boolean {
    const { existing } = this.#parts.storage
    return this.#live(requestId) !== undefined || existing?.runByRequest(requestId) !== undefined
  }

  create(request: SessionRequest, delivery: Delivery): SessionRun {
    const run = new SessionRun(this.#parts.storage, request, delivery)
    this.driver.keep(run)
    return run
  }

  /** Gives new runs their caller and what they are for. One without a definition ends with an error. */
  async identify(runs: readonly SessionRun[], caller: RunCaller): Promise<void> {
    const answer = await this.driver.identify(runs, caller)
    for (const run of runs) {
      const { target, request } = run
      if (answer !== undefined) this.driver.apply(run, { type: 'settle', answer })
      else if (target !== undefined && !(target instanceof ProtocolError)) {
        const { params, isRepeatable } = target
        if (params !== request.params) run.request = { ...request, params }
        run.isRepeatable = isRepeatable
      }
    }
  }

  /** Sends a notification of a run, and resolves when the reader of its stream can take more. */
  async notify(run: SessionRun, message: string): Promise<void> {
    const { mayStream, stream } = run.delivery
    if (!mayStream || !this.driver.apply(run, { type: 'notify', message })) return
    await this.#parts.logs.waitForCapacity(stream)
  }

  /** A run as the recipient of what the author delivers. */
  recipient(runId: string): Recipient | 'over' {
    const run = this.driver.find(runId)
    if (run === undefined) return 'over'
    // A value that is kept needs the row of its run.
    this.open(run.delivery)
    return this.driver.recipient(run)
  }

  /** Cancels the run of a request, for its client. */
  cancel(requestId: RequestId): void {
    const text = JSON.stringify(requestId)
    const run = this.#live(text) ?? this.#load(this.#parts.storage.existing?.runByRequest(text))
    if (run !== undefined) this.driver.apply(run, { type: 'cancel' })
  }

  /** Records a response to an ask; false when no open ask has its id. */
  respond(message: ResponseMessage): boolean {
    const ask = this.#parts.asks.find(message.id)
    if (ask === undefined || (ask.until ?? 0) <= Date.now()) return false
    const run = this.driver.find(ask.run_id)
    if (run === undefined) return false
    // A handler goes on when all its asks are answered. It may race them with other waits.
    const waits = this.#parts.storage.statements.waitsOf(run.id)
    const isLast = waits.filter(({ kind }) => kind === 'ask').length === 1
    this.driver.give(run, ask.key, responseOf(ask.detail, message), isLast)
    return true
  }

  /** Ends the runs whose asks have expired. */
  expire(now: number): void {
    const expired = this.#parts.storage.existing?.expiredAsks(now) ?? []
    for (const runId of new Set(expired.map(({ run_id }) => run_id))) {
      const run = this.driver.find(runId)
      if (run !== undefined) this.driver.apply(run, { type: 'expire', now })
    }
  }

  /** Aborts every handler, because the session ends, and the tasks of held calls that wait for an answer. */
  terminate(): void {
    this.#isTerminated = true
    for (const run of this.driver.live) this.driver.apply(run, { type: 'terminate' })
    const { storage, tasks } = this.#parts
    for (const { id } of storage.existing?.waitingRuns() ?? []) tasks?.abandon(id)
  }

  /** Opens the log of a POST. Its runs get rows, and the answers that are held go to the log. */
  open(delivery: Delivery): void {
    if (delivery.isOpen || this.#isTerminated) return
    const { storage, client, logs, limits, schedule } = this.#parts
    storage.transaction(() => {
      client.persist()
      logs.open(delivery.stream, delivery.kind)
      delivery.open()
      for (const run of this.driver.live) {
        if (run.delivery === delivery) this.driver.apply(run, { type: 'persist' })
      }
      for (const { body } of delivery.held.splice(0)) {
        logs.appendAnswer(delivery.stream, textOf(body))
        // The runs of held answers have no row, so no `finish` schedules the expiry of these events.
        schedule(Date.now() + limits.logRetentionMs)
      }
      logs.endIfComplete(delivery.stream)
    })
    schedule()
  }

  #live(requestId: string): SessionRun | undefined {
    for (const run of this.driver.live) if (run.requestId === requestId) return run
    return undefined
  }

  #dispatcherFor(auth: AuthInfo | undefined): Dispatcher | Promise<Dispatcher> {
    const { deployment, client } = this.#parts
    const { params = NO_PARAMS, name } = client.claims
    const found = deployment.definitions.of({ auth, params, session: name })
    const under = (dispatchers: Dispatchers) => dispatchers.under(client.revision)
    return found instanceof Promise ? found.then(under) : under(found)
  }

  /** What a request is for in the definition of all callers, before its caller is known. */
  #inShared(request: SessionRequest): Target | undefined {
    const { deployment, client } = this.#parts
    return deployment.definitions.shared?.under(client.revision).resolve(request, undefined)
  }

  #load(row: RunRow | undefined): SessionRun | undefined {
    if (row === undefined) return undefined
    const { storage } = this.#parts
    const { id, stream_id, sent, caller } = row
    const waits = storage.statements.waitsOf(id)
    // A wait ends by itself, and with it the waiting of the run.
    const ends = waits.every((each) => each.kind === 'ask') ? waits : []
    const expiresAt = Math.min(...ends.map(({ until }) => until ?? Number.POSITIVE_INFINITY))
    return new SessionRun(
      storage,
      storage.readRequestOf(id, row.request),
      new Delivery(stream_id, 'sse', true),
      { id, state: readState(row, waits, expiresAt), sent, callerRecord: caller },
    )
  }

  async #execute(run: SessionRun): Promise<Outcome> {
    const { client, asks } = this.#parts
    const { request, auth } = run
    if (run.target === undefined) throw new TypeError('The run has no target')
    if (run.target instanceof ProtocolError) return run.target
    try {
      if (request.method === 'initialize') {
        client.initialize(request.params)
        run.target = (await this.#dispatcherFor(auth)).resolve(request, auth)
      }
      const outcome = await settleCall(createCall(run, run.target, this.#parts))
      if (outcome instanceof Suspension) await asks.announce(outcome, run.auth?.subject)
      return outcome
    } catch (error) {
      if (error instanceof ProtocolError) return error
      throw error
    }
  }
}
