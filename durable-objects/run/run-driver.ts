/**
 * Drives the runs of one object: feeds events to `decide-run.ts`, commits the effects of each decision in one
 * transaction, and renews the callers of runs that resume. `run-owner.ts` is what a session and a task differ in.
 */
import type { DefinedDeployment } from '../../src/dispatch/deployment.ts'
import { Suspension } from '../../src/dispatch/journal/suspension.ts'
import type { Wait } from '../../src/dispatch/journal/wait.ts'
import { internalError, type Outcome } from '../../src/dispatch/outcome.ts'
import type { Target } from '../../src/dispatch/target.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { ProtocolError } from '../../src/protocol/protocol-error.ts'
import type { CallerRecords, RunCaller } from './caller-records.ts'
import { decideRun, isLive } from './decide-run.ts'
import { type Recipient, responseAt } from './deliver.ts'
import type { Run } from './run.ts'
import { notOfferedAnyMore } from './run-failures.ts'
import type { RunOwner } from './run-owner.ts'
import type {
  AskResponse,
  DurableEffect,
  MemoryEffect,
  RunEvent,
  WithdrawReason,
} from './run-state.ts'
import type { JournalKind, RunColumns, WaitRow } from './run-statements.ts'
import type { RunStorage } from './run-storage.ts'

export interface DriverContext {
  readonly storage: RunStorage
  readonly deployment: DefinedDeployment
  readonly callers: CallerRecords
  readonly waitUntil: (promise: Promise<unknown>) => void
  /** Sets an alarm: at the latest at `by`, and always soon enough to find an interrupted run. */
  readonly schedule: (by?: number) => void
}

/** How long a run waits that could not determine whether its caller still has access. */
const RENEWAL_RETRY_MS = 5_000

const NOTHING_CHANGED: RunColumns = {}

export class RunDriver<R extends Run> {
  readonly #owner: RunOwner<R>
  readonly #context: DriverContext
  readonly #live = new Set<R>()

  constructor(owner: RunOwner<R>, context: DriverContext) {
    this.#owner = owner
    this.#context = context
  }

  /** The runs whose handler is in memory, or about to be. */
  get live(): ReadonlySet<R> {
    return this.#live
  }

  /** The run with an id, in memory or from its row; undefined for one that is over. */
  find(runId: string): R | undefined {
    for (const run of this.#live) if (run.id === runId) return run
    return this.#owner.load(runId)
  }

  /** Keeps a run whose handler is about to be in memory. */
  keep(run: R): void {
    this.#live.add(run)
  }

  /** Forgets a run that needs no row: its call has answered by itself. */
  forget(run: R): void {
    this.#live.delete(run)
  }

  /**
   * Gives runs their caller and what they are for, before their handlers start: from then on, they may get rows at any
   * time. Returns the error when the caller cannot be sealed, or has no definition.
   */
  async identify(runs: readonly R[], caller: RunCaller): Promise<ProtocolError | undefined> {
    try {
      const sealed = this.#context.callers.seal(caller)
      const record = sealed instanceof Promise ? await sealed : sealed
      const [first] = runs
      const found = first && this.#owner.dispatcherOf(first, caller.auth)
      const dispatcher = found instanceof Promise ? await found : found
      for (const run of runs) {
        run.auth = caller.auth
        run.grant = caller.grant
        run.callerRecord = record
        run.target = dispatcher?.resolve(run.request, caller.auth)
      }
      return undefined
    } catch (error) {
      return this.#failureOf(error)
    }
  }

  /** Runs the handler until it settles or waits. */
  async start(run: R): Promise<void> {
    this.settle(run, await this.#owner.execute(run))
  }

  /** Feeds one event to a run; false when it changes nothing. */
  apply(run: R, event: RunEvent): boolean {
    const before = run.state
    const { state, effects } = decideRun(before, event, this.#owner.limits)
    const { durable, memory } = effects
    run.state = state
    if (durable.length > 0) this.#context.storage.transaction(() => this.#commitAll(run, durable))
    if (!isLive(state)) {
      run.closeJournal()
      this.forget(run)
    }
    for (const effect of memory) this.#carryOut(run, effect)
    if (state.name !== before.name) this.#owner.moved(run, before, event)
    return state !== before || durable.length > 0
  }

  /** Feeds the end of a handler to the machine. */
  settle(run: R, outcome: Outcome): void {
    if (!(outcome instanceof Suspension)) {
      this.apply(run, { type: 'settle', answer: outcome })
      return
    }
    const { requests, waits } = outcome
    const expiresAt = this.#owner.expiryOf(outcome)
    if (!this.apply(run, { type: 'ask', suspension: outcome, expiresAt })) return
    // A response may have come while the handler was on its way to wait for it.
    const unread = this.#unreadResponses(run.id)
    const isAnswered = Object.keys(requests).every((key) => unread.has(key))
    for (const key of [...Object.keys(requests), ...Object.keys(waits)]) {
      const response = unread.get(key)
      if (response === undefined) continue
      const resumes = isAnswered || Object.hasOwn(waits, key)
      this.apply(run, { type: 'respond', key, response, now: Date.now(), resumes })
    }
  }

  #unreadResponses(runId: string): ReadonlyMap<string, AskResponse> {
    const { fresh, refusal } = this.#context.storage.readEntries(runId, ['fresh', 'refusal'])
    const of = (kind: AskResponse['kind'], values: JsonObject) =>
      Object.entries(values).map(([key, value = null]) => [key, { kind, value }] as const)
    return new Map([...of('fresh', fresh), ...of('refusal', refusal)])
  }

  /**
   * Gives a run a response. A handler that has not waited for it yet finds it when it does.
   *
   * @param resumes whether the handler goes on although it waits for more: it may race them
   */
  give(run: R, key: string, response: AskResponse, resumes: boolean): void {
    if (this.apply(run, { type: 'respond', key, response, now: Date.now(), resumes })) return
    if (run.isStored) {
      const { storage } = this.#context
      storage.transaction(() => storage.record(run.id, key, response))
    }
    if (response.kind === 'fresh' && run.hasOpenJournal) run.journal.deliver(key, response.value)
  }

  /** Ends waits: their time is over, or the task that they wait for has ended. */
  end(waits: readonly WaitRow[]): void {
    for (const { run_id, key, kind } of waits) {
      const run = this.find(run_id)
      if (run !== undefined) this.give(run, key, responseAt(kind, key), true)
    }
  }

  /** Ends the waits whose time is over. */
  wake(now: number): void {
    this.end(this.#context.storage.existing?.dueWaits(now) ?? [])
  }

  /** A run as the recipient of what the author delivers. It must have a row. */
  recipient(run: R): Recipient {
    const { statements } = this.#context.storage
    return {
      waitOf: (key) => statements.wait(run.id, key),
      entryOf: (key) => statements.entry(run.id, key)?.kind,
      countUnread: () => statements.countUnread(run.id),
      give: (key, response) => this.give(run, key, response, true),
    }
  }

  /** Resumes or ends the runs whose handler was lost with the memory of the object. */
  recover(): void {
    for (const runId of this.#owner.interruptedRuns()) {
      const run = this.find(runId)
      if (run === undefined || this.#live.has(run)) continue
      this.apply(run, { type: 'recover', isRepeatable: this.#owner.isRepeatable(run) })
    }
  }

  #commitAll(run: R, effects: readonly DurableEffect[]): void {
    let columns: RunColumns | undefined
    for (const effect of effects) {
      const changed = this.#commit(run, effect)
      if (changed !== undefined) columns = { ...columns, ...changed }
    }
    if (columns !== undefined) this.#owner.save(run, columns)
  }

  /** Applies an effect, and returns what it changes in the row of the run; undefined for what no client sees. */
  #commit(run: R, effect: DurableEffect): RunColumns | undefined {
    const owner = this.#owner
    const { storage, schedule } = this.#context
    switch (effect.type) {
      case 'persist':
        owner.insert(run)
        return undefined
      case 'save': {
        const { name, rounds, interruptions } = effect.state
        return { state: name, rounds, interruptions }
      }
      case 'notify':
        owner.notify?.(run, effect.message)
        return undefined
      case 'send-asks':
        run.sent = effect.suspension.state.sent
        this.#openWaits(run, effect.suspension, effect.expiresAt)
        schedule(storage.statements.nextWake())
        return { sent: JSON.stringify(run.sent) }
      case 'record-response':
        storage.record(run.id, effect.key, effect.response)
        return NOTHING_CHANGED
      case 'withdraw-asks':
        this.#closeWaits(run, effect.reason)
        return undefined
      case 'answer':
        // A handler that has raced its asks may have ended before their answers.
        this.#closeWaits(run, 'ended')
        return owner.answer(run, effect.answer)
      case 'fail':
        return this.#commit(run, { type: 'answer', answer: owner.failure(run, effect.failure) })
      case 'finish':
        this.#closeWaits(run, 'cancelled')
        return owner.finish(run)
      case 'schedule':
        schedule(effect.by)
        return undefined
    }
  }

  /**
   * Writes what the handler waits for. An ask that is open already, because the handler has run again for another
   * reason, is not asked again; one that was answered meanwhile neither.
   */
  #openWaits(run: R, { requests, waits }: Suspension, expiresAt: number): void {
    const owner = this.#owner
    const { statements } = this.#context.storage
    const { id: run_id } = run
    const known = new Map(statements.waitsOf(run_id).map((row) => [row.key, row]))
    for (const [key, row] of known) {
      if (Object.hasOwn(requests, key) || Object.hasOwn(waits, key)) continue
      if (row.kind === 'ask') owner.withdraw?.(run, row, 'ended')
      statements.deleteWait(run_id, key)
    }
    for (const [key, request] of Object.entries(requests)) {
      const detail = owner.noteOf(request)
      const open = known.get(key)
      if (open?.kind === 'ask' && open.detail === detail) continue
      if (isResponse(statements.entry(run_id, key)?.kind)) continue
      const wire_key = owner.ask(run, key, request)
      statements.insertWait({ run_id, key, kind: 'ask', wire_key, detail, until: expiresAt })
    }
    for (const [key, wait] of Object.entries(waits)) {
      const { kind, until = Number.MAX_SAFE_INTEGER } = wait
      const detail = detailOf(wait)
      statements.insertWait({ run_id, key, kind, wire_key: null, detail, until })
    }
  }

  #closeWaits(run: R, reason: WithdrawReason): void {
    const waits = this.#context.storage.existing?.waitsOf(run.id) ?? []
    if (waits.length === 0) return
    for (const row of waits) if (row.kind === 'ask') this.#owner.withdraw?.(run, row, reason)
    this.#context.storage.statements.deleteWaits(run.id)
  }

  #carryOut(run: R, effect: MemoryEffect): void {
    switch (effect.type) {
      case 'reply':
        this.#owner.reply?.(run, effect.answer)
        return
      case 'renew-caller':
        this.keep(run)
        this.#context.waitUntil(this.#renew(run))
        return
      case 'resume':
        if (effect.wasInterrupted) this.#owner.restore?.(run)
        this.#context.waitUntil(this.start(run))
        return
      case 'abort':
        run.cancellation.cancel(
          effect.reason === 'session-ended' ? this.#owner.endReason : effect.reason,
        )
    }
  }

  /** Checks the access of the run's caller. A run whose caller cannot be checked now stays ready. */
  async #renew(run: R): Promise<void> {
    const { callers, deployment, schedule } = this.#context
    try {
      const caller = await callers.renew(run.callerRecord)
      run.auth = caller?.auth
      run.grant = caller?.grant
      const isAuthorized = caller !== undefined
      if (isAuthorized) run.target = await this.#presentTarget(run)
      this.apply(run, { type: 'renew', isAuthorized })
      if (isAuthorized) return
      const { method } = run.request
      deployment.report({ type: 'cancelled', method, reason: 'access-revoked' })
    } catch (error) {
      deployment.report({ type: 'internal-error', error })
      // Read from its row again at the alarm.
      this.forget(run)
      schedule(Date.now() + RENEWAL_RETRY_MS)
    }
  }

  /**
   * What a run that resumes is for in the present definition, in which its tool may be missing. A factory that fails ends
   * the run: it may have no definition ever again.
   */
  async #presentTarget(run: R): Promise<Target | ProtocolError> {
    try {
      const dispatcher = await this.#owner.dispatcherOf(run, run.auth)
      const target = dispatcher.resolve(run.request, run.auth)
      return target.isOffered ? target : notOfferedAnyMore(run.request.params)
    } catch (error) {
      return this.#failureOf(error)
    }
  }

  /** The error of a call whose definition or caller could not be found. */
  #failureOf(error: unknown): ProtocolError {
    return error instanceof ProtocolError ? error : internalError(this.#context, error)
  }
}

const isResponse = (kind: JournalKind | undefined) => kind === 'fresh' || kind === 'refusal'

function detailOf(wait: Wait): string | null {
  if (wait.kind === 'task') return wait.taskId
  return wait.kind === 'event' && wait.schema ? JSON.stringify(wait.schema) : null
}
