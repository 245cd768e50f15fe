/**
 * Drives the runs of one object: feeds events to `decide-run.ts`, applies the effects, and renews the
 * callers of runs that resume. What the rows of a run are is decided by its owner: a session or a task.
 */
import type { Cancellation } from '../../src/dispatch/cancellation.ts'
import { DefinitionError } from '../../src/dispatch/definitions.ts'
import type { DefinedDeployment } from '../../src/dispatch/deployment.ts'
import type { Dispatcher } from '../../src/dispatch/dispatcher.ts'
import type { Journal } from '../../src/dispatch/journal/journal.ts'
import { Suspension } from '../../src/dispatch/journal/suspension.ts'
import { type Answer, internalError, type Outcome } from '../../src/dispatch/outcome.ts'
import type { CallerGrant } from '../../src/ports/authenticator.ts'
import type { CancelReason } from '../../src/ports/cancel-reason.ts'
import type { AuthInfo } from '../../src/protocol/auth-info.ts'
import { ErrorCode } from '../../src/protocol/error-codes.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { ProtocolError } from '../../src/protocol/protocol-error.ts'
import type { CallerRecords } from './caller-records.ts'
import { decideRun, isLive } from './decide-run.ts'
import { notOfferedAnyMore } from './run-failures.ts'
import type {
  AskResponse,
  DurableEffect,
  MemoryEffect,
  RunEvent,
  RunLimits,
  RunState,
} from './run-state.ts'

/** A run as its driver sees it. */
export interface DrivenRun {
  /** Set by the driver, from decisions only. */
  state: RunState
  /** The caller that started the run; of a run that resumes, once it has been renewed. */
  auth: AuthInfo | undefined
  /** The grant of the caller's token, if it has one. */
  grant: CallerGrant | undefined
  /** The definition for the caller, once it has been looked for, or the error that there is none. */
  definition: Dispatcher | ProtocolError | undefined
  /** The sealed record of the caller; null on a server without authorization. */
  callerRecord: string | null
  readonly request: { readonly method: string; readonly params?: JsonObject | undefined }
  readonly cancellation: Cancellation
  readonly journal: Journal
  /** Whether a handler reads the journal. */
  readonly hasOpenJournal: boolean
  /** Forgets the journal in memory, so that the next run of the handler reads it from its rows. */
  closeJournal(): void
}

export interface DriverContext {
  readonly deployment: DefinedDeployment
  readonly callers: CallerRecords
  readonly waitUntil: (promise: Promise<unknown>) => void
  /** Sets an alarm: at the latest at `by`, and always soon enough to find an interrupted run. */
  readonly schedule: (by?: number) => void
}

/** How long a run waits that could not determine whether its caller still has access. */
const RENEWAL_RETRY_MS = 5_000

export abstract class RunDriver<Run extends DrivenRun> {
  readonly #context: DriverContext
  readonly #limits: RunLimits | undefined

  /** @param limits undefined for those of every run */
  constructor(context: DriverContext, limits?: RunLimits) {
    this.#context = context
    this.#limits = limits
  }

  /** Runs the handler until it settles or waits, and feeds the end to {@link settle}. */
  abstract start(run: Run): Promise<void>

  protected abstract transaction(work: () => void): void
  /** Applies an effect to the rows, within a transaction. */
  protected abstract commit(run: Run, effect: DurableEffect): void
  /** Writes a response to the journal, and closes what it answers. */
  protected abstract record(run: Run, key: string, response: AskResponse): void
  /** The recorded responses that no handler has read. */
  protected abstract unreadOf(run: Run): JsonObject
  /** Until when a suspended run takes responses, in epoch milliseconds. */
  protected abstract expiryOf(suspension: Suspension): number
  /** Keeps a run whose handler is about to be in memory. */
  protected abstract keep(run: Run): void
  /** Forgets a run whose handler has left memory. */
  protected abstract release(run: Run): void
  /** Called after an event has moved a run to another state. */
  protected abstract moved(run: Run, before: RunState, event: RunEvent): void
  /** Prepares a run that resumes. */
  protected abstract prepare(run: Run, wasInterrupted: boolean): void
  /** Returns an answer through the call that brought the request. */
  protected abstract reply(run: Run, answer: Answer): void
  /** Whether the run of a row belongs to the server of this object, so that its tools may continue it. */
  protected abstract isOfThisServer(
    run: Run,
    auth: AuthInfo | undefined,
  ): boolean | Promise<boolean>
  protected abstract definitionOf(
    run: Run,
    auth: AuthInfo | undefined,
  ): Dispatcher | Promise<Dispatcher>

  /** Feeds one event to a run; false when it changes nothing. */
  apply(run: Run, event: RunEvent): boolean {
    const { state, effects } = decideRun(run.state, event, this.#limits)
    const { durable, memory } = effects
    const changes = state !== run.state || durable.length > 0
    const before = run.state
    run.state = state
    if (durable.length > 0) {
      this.transaction(() => {
        for (const effect of durable) this.commit(run, effect)
      })
    }
    if (!isLive(state)) {
      run.closeJournal()
      this.release(run)
    }
    for (const effect of memory) this.#carryOut(run, effect)
    if (state.name !== before.name) this.moved(run, before, event)
    return changes
  }

  /** Feeds the end of a handler to the machine. */
  settle(run: Run, outcome: Outcome): void {
    if (!(outcome instanceof Suspension)) {
      this.apply(run, { type: 'settle', answer: outcome })
      return
    }
    const { requests, waits } = outcome
    const expiresAt = this.expiryOf(outcome)
    if (!this.apply(run, { type: 'ask', suspension: outcome, expiresAt })) return
    // A response may have come while the handler was on its way to wait for it.
    const unread = this.unreadOf(run)
    for (const key of [...Object.keys(requests), ...Object.keys(waits)]) {
      const value = Object.hasOwn(unread, key) ? unread[key] : undefined
      if (value !== undefined) {
        const response = { kind: 'fresh', value } as const
        const resumes = Object.hasOwn(waits, key)
        this.apply(run, { type: 'respond', key, response, now: Date.now(), resumes })
      }
    }
  }

  /**
   * Gives a run a response. A handler that has not waited for it yet finds it when it does.
   *
   * @param resumes whether the handler goes on although it waits for more: it may race them
   */
  give(run: Run, key: string, response: AskResponse, resumes: boolean): void {
    if (this.apply(run, { type: 'respond', key, response, now: Date.now(), resumes })) return
    this.transaction(() => this.record(run, key, response))
    if (response.kind === 'fresh' && run.hasOpenJournal) run.journal.deliver(key, response.value)
  }

  /** The error of a call whose definition or caller could not be found. */
  protected failureOf(error: unknown): ProtocolError {
    return error instanceof DefinitionError
      ? new ProtocolError(ErrorCode.internalError, error.message)
      : internalError(this.#context, error)
  }

  protected abort(run: Run, reason: CancelReason): void {
    run.cancellation.cancel(reason)
  }

  #carryOut(run: Run, effect: MemoryEffect): void {
    switch (effect.type) {
      case 'reply':
        this.reply(run, effect.answer)
        return
      case 'renew-caller':
        this.keep(run)
        this.#context.waitUntil(this.#renew(run))
        return
      case 'resume':
        this.prepare(run, effect.wasInterrupted)
        this.#context.waitUntil(this.start(run))
        return
      case 'abort':
        this.abort(run, effect.reason)
    }
  }

  /** Checks the access of the run's caller. A run whose caller cannot be checked now stays ready. */
  async #renew(run: Run): Promise<void> {
    const { callers, deployment, schedule } = this.#context
    try {
      const caller = await callers.renew(run.callerRecord)
      const isOwn = caller !== undefined && (await this.isOfThisServer(run, caller.auth))
      const renewed = isOwn ? caller : undefined
      run.auth = renewed?.auth
      run.grant = renewed?.grant
      if (renewed !== undefined) run.definition = await this.#presentDefinition(run)
      this.apply(run, { type: 'renew', isAuthorized: renewed !== undefined })
      if (renewed !== undefined) return
      const { method } = run.request
      deployment.report({ type: 'cancelled', method, reason: 'access-revoked' })
    } catch (error) {
      deployment.report({ type: 'internal-error', error })
      // Read from its row again at the alarm.
      this.release(run)
      schedule(Date.now() + RENEWAL_RETRY_MS)
    }
  }

  /**
   * The definition of a run that resumes, in which its tool may be missing. A factory that fails ends the
   * run: it may have no definition ever again.
   */
  async #presentDefinition(run: Run): Promise<Dispatcher | ProtocolError> {
    const { method, params } = run.request
    try {
      const found = await this.definitionOf(run, run.auth)
      return found.offers(method, params, run.auth) ? found : notOfferedAnyMore(params)
    } catch (error) {
      return this.failureOf(error)
    }
  }
}
