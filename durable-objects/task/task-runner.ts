/** Runs the handler of a task: applies the effects of its run to the rows of the task. */

import type { CallTask } from '../../src/dispatch/call.ts'
import type { DefinedDeployment } from '../../src/dispatch/deployment.ts'
import type { Dispatcher } from '../../src/dispatch/dispatcher.ts'
import { type Outcome, settleCall } from '../../src/dispatch/outcome.ts'
import type { CancelReason } from '../../src/ports/cancel-reason.ts'
import type { AuthInfo } from '../../src/protocol/auth-info.ts'
import type { Codec } from '../../src/protocol/codec/codec.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { ProtocolError } from '../../src/protocol/protocol-error.ts'
import type { RunCaller } from '../run/caller-records.ts'
import { isLive, isOver } from '../run/decide-run.ts'
import { type DriverContext, RunDriver } from '../run/run-driver.ts'
import type { AskResponse, DurableEffect, RunEvent, RunLimits, RunState } from '../run/run-state.ts'
import { taskEvent } from './record-task.ts'
import { isFinalState } from './schema.ts'
import { createTaskCall } from './task-call.ts'
import { commitTaskEffect, type TaskEffectsContext } from './task-effects.ts'
import { readTaskRun, type TaskRun } from './task-run.ts'
import type { TaskServer } from './task-server.ts'
import type { TaskStorage } from './task-storage.ts'

export interface TaskRunnerContext extends TaskEffectsContext, DriverContext {
  readonly storage: TaskStorage
  readonly name: string
  readonly deployment: DefinedDeployment
  readonly callTask: (run: TaskRun) => CallTask
  readonly server: TaskServer
}

/**
 * A task may wait ten thousand times. Its interruptions are counted anew after each step, so a long task
 * survives any number of them, and one that ends its object by itself does not run forever.
 */
const TASK_LIMITS: RunLimits = { rounds: 10_000, interruptions: 10 }

export class TaskRunner extends RunDriver<TaskRun> {
  readonly #context: TaskRunnerContext
  /** The run whose handler is in memory, or was last. */
  #run: TaskRun | undefined

  constructor(context: TaskRunnerContext) {
    super(context, TASK_LIMITS)
    this.#context = context
  }

  /** The run, read from its rows if no handler is in memory; undefined without a task, and after its end. */
  get run(): TaskRun | undefined {
    if (this.#run !== undefined && !isOver(this.#run.state)) return this.#run
    const { existing } = this.#context.storage
    const row = existing?.task()
    if (existing === undefined || row === undefined || isFinalState(row.state)) return undefined
    const run = readTaskRun(this.#context.storage, row, existing.waits())
    this.keep(run)
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
    this.keep(run)
    run.auth = caller.auth
    run.grant = caller.grant
    run.callerRecord = await this.#context.callers.seal(caller)
    try {
      run.definition = await this.definitionOf(run, caller.auth)
      return undefined
    } catch (error) {
      return this.failureOf(error)
    }
  }

  /** Runs the handler until it settles or waits, and returns how it ended. */
  async execute(run: TaskRun): Promise<Outcome> {
    const { deployment, codec, callTask, waitUntil, name } = this.#context
    const { definition: dispatcher } = run
    if (dispatcher === undefined) throw new TypeError('The task has no definition')
    if (dispatcher instanceof ProtocolError) return dispatcher
    const { recorder, env } = deployment
    const recording = recorder?.resumeTask(run.request, env, waitUntil)
    const call = createTaskCall(name, run, deployment, callTask(run), waitUntil, recording)
    return settleCall(dispatcher, codec.revision, call)
  }

  override async start(run: TaskRun): Promise<void> {
    this.settle(run, await this.execute(run))
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

  protected override transaction(work: () => void): void {
    this.#context.storage.transaction(work)
  }

  protected override commit(run: TaskRun, effect: DurableEffect): void {
    commitTaskEffect(this.#context, run, effect)
  }

  protected override record(_: TaskRun, key: string, { kind, value }: AskResponse): void {
    const { storage } = this.#context
    storage.statements.deleteWait(key)
    storage.writeEntry(key, kind, value)
  }

  protected override unreadOf(): JsonObject {
    return this.#context.storage.readJournal().fresh
  }

  protected override expiryOf(): number {
    const row = this.#context.storage.existing?.task()
    return row === undefined ? 0 : row.created_at + row.ttl_ms
  }

  protected override keep(run: TaskRun): void {
    this.#run = run
    run.onAdvance = () => this.apply(run, { type: 'advance' })
  }

  protected override release(): void {
    this.#run = undefined
  }

  protected override abort(run: TaskRun, reason: CancelReason): void {
    // A task has no session: it is terminated at the end of its lifetime.
    super.abort(run, reason === 'session-ended' ? 'timeout' : reason)
  }

  protected override prepare(): void {
    // Its journal has everything.
  }

  protected override reply(): void {
    // `begin-task.ts` returns the answer.
  }

  protected override moved(run: TaskRun, before: RunState, event: RunEvent): void {
    const { deployment, waitUntil } = this.#context
    const { recorder, env } = deployment
    // A call that has answered by itself was never a task.
    if (recorder === undefined || (before.name === 'quick' && isOver(run.state))) return
    recorder.reportTask(taskEvent(this.#context, run, event), env, waitUntil)
  }

  protected override isOfThisServer({ request }: TaskRun): boolean | Promise<boolean> {
    return this.#context.server.ownsRun(request)
  }

  protected override definitionOf(
    { request }: TaskRun,
    auth: AuthInfo | undefined,
  ): Dispatcher | Promise<Dispatcher> {
    return this.#context.deployment.definitions.of({ auth, params: request.factoryParams })
  }
}
