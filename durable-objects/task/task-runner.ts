/**
 * Runs the handler of a task. `../run/decide-run.ts` decides what an event does; this class feeds it the
 * events of one task and applies the effects to its rows and its handler.
 */

import type { CallTask } from '../../src/dispatch/call.ts'
import { DefinitionError } from '../../src/dispatch/definitions.ts'
import type { DefinedDeployment } from '../../src/dispatch/deployment.ts'
import type { Dispatcher } from '../../src/dispatch/dispatcher.ts'
import { Suspension } from '../../src/dispatch/journal/suspension.ts'
import { internalError, type Outcome, settleCall } from '../../src/dispatch/outcome.ts'
import type { AuthInfo } from '../../src/protocol/auth-info.ts'
import type { Codec } from '../../src/protocol/codec/codec.ts'
import { ErrorCode } from '../../src/protocol/error-codes.ts'
import { ProtocolError } from '../../src/protocol/protocol-error.ts'
import type { CallerRecords, RunCaller } from '../run/caller-records.ts'
import { decideRun, isLive, isOver } from '../run/decide-run.ts'
import { notOfferedAnyMore } from '../run/run-failures.ts'
import type { MemoryEffect, RunEvent, RunLimits } from '../run/run-state.ts'
import { isFinalState } from './schema.ts'
import { createTaskCall } from './task-call.ts'
import { commitTaskEffect, type TaskEffectsContext } from './task-effects.ts'
import { readTaskRun, type TaskRun } from './task-run.ts'
import type { TaskStorage } from './task-storage.ts'

export interface TaskRunnerContext extends TaskEffectsContext {
  readonly storage: TaskStorage
  readonly name: string
  readonly deployment: DefinedDeployment
  readonly callers: CallerRecords
  readonly callTask: (run: TaskRun) => CallTask
  readonly waitUntil: (promise: Promise<unknown>) => void
}

/**
 * A task may wait ten thousand times. Its interruptions are counted anew after each step, so a long task
 * survives any number of them, and one that ends its object by itself does not run forever.
 */
const TASK_LIMITS: RunLimits = { rounds: 10_000, interruptions: 10 }

/** How long a task waits that could not determine whether its caller still has access. */
const RENEWAL_RETRY_MS = 5_000

export class TaskRunner {
  readonly #context: TaskRunnerContext
  /** The run whose handler is in memory, or was last. */
  #run: TaskRun | undefined

  constructor(context: TaskRunnerContext) {
    this.#context = context
  }

  /** The run, read from its rows if no handler is in memory; undefined without a task, and after its end. */
  get run(): TaskRun | undefined {
    if (this.#run !== undefined && !isOver(this.#run.state)) return this.#run
    const { existing } = this.#context.storage
    const row = existing?.task()
    if (existing === undefined || row === undefined || isFinalState(row.state)) return undefined
    const run = readTaskRun(this.#context.storage, row, existing.waits())
    this.#adopt(run)
    return run
  }

  get codec(): Codec {
    return this.#context.codec
  }

  get isLive(): boolean {
    return this.#run !== undefined && isLive(this.#run.state)
  }

  /** Gives a new run its caller and the definition for it, before its handler starts. */
  async identify(run: TaskRun, caller: RunCaller): Promise<ProtocolError | undefined> {
    this.#adopt(run)
    run.auth = caller.auth
    run.grant = caller.grant
    run.callerRecord = await this.#context.callers.seal(caller)
    const found = await this.#findDefinition(run, caller.auth)
    run.definition = found
    return found instanceof ProtocolError ? found : undefined
  }

  /** Runs the handler until it settles or waits, and returns how it ended. */
  async execute(run: TaskRun): Promise<Outcome> {
    const { deployment, codec, callTask, waitUntil, name } = this.#context
    const { definition: dispatcher, request, auth, grant, cancellation, journal } = run
    if (dispatcher === undefined) throw new TypeError('The task has no definition')
    if (dispatcher instanceof ProtocolError) return dispatcher
    const call = createTaskCall({
      name,
      request,
      auth,
      grant,
      deployment,
      cancellation,
      journal,
      task: callTask(run),
      waitUntil,
    })
    return settleCall(dispatcher, codec.revision, call)
  }

  async start(run: TaskRun): Promise<void> {
    this.settle(run, await this.execute(run))
  }

  /** Feeds the end of a handler to the machine. */
  settle(run: TaskRun, outcome: Outcome): void {
    if (!(outcome instanceof Suspension)) {
      this.apply(run, { type: 'settle', answer: outcome })
      return
    }
    const row = this.#context.storage.existing?.task()
    const expiresAt = row === undefined ? 0 : row.created_at + row.ttl_ms
    this.apply(run, { type: 'ask', suspension: outcome, expiresAt })
    this.#takeKept(run, Object.keys(outcome.waits))
  }

  /** Resumes or ends a run whose handler, or the renewal of its caller, was lost with the object's memory. */
  recover(): void {
    // Before the row is read: a state that was read from it has neither in memory.
    if (this.isLive) return
    const { run } = this
    // What a handler repeats is in its steps, so every task may run again.
    if (run?.state.name === 'interrupted' || run?.state.name === 'ready') {
      this.apply(run, { type: 'recover', isRepeatable: true })
    }
  }

  /** Feeds one event to the run; false when it changes nothing. */
  apply(run: TaskRun, event: RunEvent): boolean {
    const { state, effects } = decideRun(run.state, event, TASK_LIMITS)
    const { durable, memory } = effects
    const changes = state !== run.state || durable.length > 0
    run.state = state
    if (durable.length > 0) {
      this.#context.storage.transaction(() => {
        for (const effect of durable) commitTaskEffect(this.#context, run, effect)
      })
    }
    if (!isLive(state)) run.closeJournal()
    for (const effect of memory) this.#carryOut(run, effect)
    return changes
  }

  /** An event may have been delivered while the handler was on its way to wait for it. */
  #takeKept(run: TaskRun, keys: readonly string[]): void {
    const { fresh } = this.#context.storage.readJournal()
    for (const key of keys) {
      const value = fresh[key]
      if (value === undefined) continue
      const response = { kind: 'fresh', value } as const
      this.apply(run, { type: 'respond', key, response, now: Date.now(), resumes: true })
    }
  }

  #adopt(run: TaskRun): void {
    this.#run = run
    run.onAdvance = () => this.apply(run, { type: 'advance' })
  }

  #carryOut(run: TaskRun, effect: MemoryEffect): void {
    const { waitUntil } = this.#context
    switch (effect.type) {
      case 'renew-caller':
        waitUntil(this.#renew(run))
        return
      case 'resume':
        waitUntil(this.start(run))
        return
      case 'abort':
        // A task has no session: it is terminated at the end of its lifetime.
        run.cancellation.cancel(effect.reason === 'session-ended' ? 'timeout' : effect.reason)
        return
      case 'reply':
        // A call that answers by itself is answered by the RPC that started it.
        return
    }
  }

  /** Checks the access of the caller. A task whose caller cannot be checked now stays ready. */
  async #renew(run: TaskRun): Promise<void> {
    const { callers, deployment, schedule } = this.#context
    try {
      const renewed = await callers.renew(run.callerRecord)
      run.auth = renewed?.auth
      run.grant = renewed?.grant
      if (renewed !== undefined) run.definition = await this.#present(run, renewed.auth)
      this.apply(run, { type: 'renew', isAuthorized: renewed !== undefined })
      if (renewed !== undefined) return
      const { method } = run.request
      deployment.report({ type: 'cancelled', method, reason: 'access-revoked' })
    } catch (error) {
      deployment.report({ type: 'internal-error', error })
      // Read from its row again at the alarm.
      this.#run = undefined
      schedule(Date.now() + RENEWAL_RETRY_MS)
    }
  }

  /** The definition of a run that resumes, in which its tool may be missing. */
  async #present(run: TaskRun, auth: AuthInfo | undefined): Promise<Dispatcher | ProtocolError> {
    const found = await this.#findDefinition(run, auth)
    const { method, params } = run.request
    if (found instanceof ProtocolError || found.offers(method, params, auth)) return found
    return notOfferedAnyMore(params)
  }

  async #findDefinition(
    { request }: TaskRun,
    auth: AuthInfo | undefined,
  ): Promise<Dispatcher | ProtocolError> {
    const { deployment } = this.#context
    try {
      return await deployment.definitions.of({ auth, params: request.factoryParams })
    } catch (error) {
      return error instanceof DefinitionError
        ? new ProtocolError(ErrorCode.internalError, error.message)
        : internalError(this.#context, error)
    }
  }
}
