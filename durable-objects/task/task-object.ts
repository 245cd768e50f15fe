/** The object of one task. Its part is that of a server, because handlers run in it. */
import type { AppObjects } from '../../src/ports/objects.ts'
import type { TaskLimits } from '../../src/ports/task-limits.ts'
import type {
  CancelledTask,
  Delivery,
  DeliveryRefusal,
  InboxEvent,
  ReceivedEvent,
  TaskBeginning,
  TaskFollower,
  TaskSnapshot,
  TaskStart,
} from '../../src/ports/tasks.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { isOverStatus } from '../../src/protocol/tasks.ts'
import { ObjectPart } from '../object-part.ts'
import { deliver, deliveryRefusal } from '../run/deliver.ts'
import { type RunHost, refuseImpossibleCaller } from '../run/run-host.ts'
import { beginTask } from './begin-task.ts'
import { isFinalState, TASK_RUN } from './schema.ts'
import type { CreateTaskEndPart } from './task-end-part.ts'
import { HEARTBEAT_MS, TaskParts } from './task-parts.ts'
import { TaskRun } from './task-run.ts'
import { RETURNED, readSnapshot } from './task-state.ts'

/**
 * One task.
 *
 * Layout: one row for the task, rows for its journal and for what it waits for.
 *
 * Lifetime: the rows are written before the client gets the id, and deleted by the alarm at the end of
 * `ttlMs`. A call that answers by itself within its first moments writes nothing.
 *
 * Trade-off: the object stays in memory while a handler runs and while it waits for I/O. It hibernates
 * while the task waits for a person, a time or an event.
 */
export class TaskObject extends ObjectPart {
  readonly #parts: TaskParts
  #beginning: Promise<TaskBeginning> | undefined

  constructor(
    ctx: DurableObjectState,
    env: Cloudflare.Env,
    objects: AppObjects,
    host: RunHost<TaskLimits>,
    createEnds: CreateTaskEndPart,
  ) {
    super(ctx, env)
    this.#parts = new TaskParts({ state: ctx, env, objects, host }, createEnds)
  }

  async start(text: string): Promise<TaskBeginning> {
    const start = JSON.parse(text) as TaskStart
    refuseImpossibleCaller(start.caller, this.#parts.host)
    const existing = readSnapshot(this.#parts.storage)
    if (existing !== undefined) return { kind: 'task', task: existing }
    // A round that its client repeats begins as the first one does, which still runs.
    this.#beginning ??= this.#begin(start).finally(() => {
      this.#beginning = undefined
    })
    return this.#beginning
  }

  async #begin(start: TaskStart): Promise<TaskBeginning> {
    const { request, journal } = start
    const transfer = journal === undefined ? undefined : JSON.parse(journal)
    const run = new TaskRun(this.#parts.storage, request, undefined, transfer)
    try {
      const beginning = await beginTask(this.#parts, run, start)
      // A call that is no task has no row, and is not found by its id.
      if (beginning.kind !== 'task') this.#parts.runner.driver.forget(run)
      return beginning
    } finally {
      run.begun.resolve(undefined)
    }
  }

  async read(isBrief: boolean): Promise<TaskSnapshot | undefined> {
    return this.#read(isBrief)
  }

  #read(isBrief = false): TaskSnapshot | undefined {
    if (this.#isUnknown) return undefined
    this.#recover()
    return readSnapshot(this.#parts.storage, isBrief)
  }

  async wait(
    version: number,
    timeoutMs: number,
    takesMessages: boolean,
  ): Promise<TaskSnapshot | undefined> {
    const { changes } = this.#parts
    const before = this.#read()
    if (before === undefined) return undefined
    const isNew = before.version > version || isOverStatus(before.status)
    if (!isNew && !(takesMessages && changes.hasMessages)) await changes.next(timeoutMs)
    const state = this.#read()
    return state && takesMessages ? { ...state, messages: changes.takeMessages() } : state
  }

  async markReturned(at: number): Promise<number | undefined> {
    const { existing } = this.#parts.storage
    const row = existing?.task()
    if (existing === undefined || row === undefined || this.#isUnknown) return undefined
    if (!isFinalState(row.state)) return undefined
    // The journal of the handler was deleted when it ended.
    const before = existing.entry(TASK_RUN, RETURNED)
    if (before !== undefined) return Number(before.value)
    existing.writeEntry(TASK_RUN, { key: RETURNED, kind: 'step', value: String(at) })
    return at
  }

  async update(responses: string, refusals: string): Promise<boolean> {
    if (this.#isUnknown) return false
    this.#recover()
    this.#parts.runner.answer(JSON.parse(responses) as JsonObject, JSON.parse(refusals))
    return true
  }

  /** Notifies a session of every change from now on, and returns the present state. */
  async follow(follower: string): Promise<TaskSnapshot | undefined> {
    const state = this.#read()
    if (state !== undefined && !isOverStatus(state.status)) {
      this.#parts.followers.add(JSON.parse(follower) as TaskFollower)
    }
    return state
  }

  async cancel(): Promise<CancelledTask | undefined> {
    return this.#isExpired ? undefined : this.#cancel()
  }

  /** Cancels the task, also after its lifetime. */
  async #cancel(): Promise<CancelledTask | undefined> {
    // A call that has not become a task has no row.
    if (this.#parts.storage.existing?.task() === undefined) {
      this.#parts.runner.run?.cancellation.cancel('cancelled-by-client')
      return undefined
    }
    const { driver, run } = this.#parts.runner
    if (run !== undefined) driver.apply(run, { type: 'cancel' })
    const state = readSnapshot(this.#parts.storage)
    if (state === undefined) return undefined
    if (run === undefined) return { ...state, wasOver: true }
    if (state.status === 'cancelled') await this.#freePlace()
    return state
  }

  async erase(): Promise<boolean> {
    this.#parts.ends?.discard()
    await this.#cancel()
    if (this.#parts.storage.existing?.task() === undefined) return true
    await this.#parts.jobs.attempt(Date.now())
    // The job of a task is cancelled before its rows are deleted.
    if (this.#parts.jobs.nextAt !== undefined) return false
    await this.#expire()
    return true
  }

  async deliver(key: string, value: string): Promise<Delivery> {
    if (this.#parts.inbox.expiresAt !== undefined) return this.#parts.inbox.deliver(key, value)
    await this.#parts.runner.untilBegun()
    if (this.#isUnknown) return { kind: 'unknown' }
    this.#recover()
    return deliver(() => this.#parts.runner.recipient, key, value)
  }

  async deliveryRefusal(key: string): Promise<DeliveryRefusal | undefined> {
    if (this.#parts.inbox.expiresAt !== undefined) return this.#parts.inbox.deliveryRefusal(key)
    await this.#parts.runner.untilBegun()
    if (this.#isUnknown) return 'unknown'
    this.#recover()
    return deliveryRefusal(this.#parts.runner.recipient, key)
  }

  async openInbox(expiresAt: number): Promise<void> {
    this.#parts.inbox.open(expiresAt)
    this.#parts.alarm.wakeAt(expiresAt)
  }

  /** Keeps the object in memory while it waits. */
  async receive(text: string, timeoutMs: number): Promise<ReceivedEvent | undefined> {
    const event = JSON.parse(text) as InboxEvent
    await this.openInbox(event.expiresAt)
    return this.#parts.inbox.receive(event, timeoutMs, (ms) => this.#parts.changes.next(ms))
  }

  async closeInbox(): Promise<void> {
    this.#parts.inbox.close()
  }

  async watch(until: number): Promise<TaskSnapshot | undefined> {
    if (this.#isUnknown) return undefined
    const row = this.#parts.storage.existing?.task()
    if (row !== undefined && row.watched_until < until)
      this.#parts.storage.statements.saveRun(TASK_RUN, { watched_until: until })
    return this.#read()
  }

  async alarm(): Promise<void> {
    this.#parts.alarm.reset()
    const row = this.#parts.storage.existing?.task()
    if (row === undefined) return this.#expireInbox()
    const now = Date.now()
    const endsAt = this.#parts.storage.endsAt
    const { jobs, ends } = this.#parts
    // The job of a task is cancelled, and its end reported, before its rows are deleted.
    if (now >= endsAt && (jobs.hasJob || ends !== undefined)) await this.#cancel()
    await ends?.attempt(now)
    await jobs.attempt(now)
    const attemptAt = Math.min(
      jobs.nextAt ?? Number.POSITIVE_INFINITY,
      ends?.nextAt ?? Number.POSITIVE_INFINITY,
    )
    if (now >= endsAt) {
      if (attemptAt === Number.POSITIVE_INFINITY) return this.#expire()
      return this.#parts.alarm.wakeAt(attemptAt)
    }
    this.#recover()
    this.#parts.runner.driver.wake(now)
    this.#parts.followers.notify()
    const heartbeat = this.#parts.runner.isLive ? now + HEARTBEAT_MS : endsAt
    const wakeAt = this.#parts.storage.existing?.nextWake() ?? endsAt
    this.#parts.alarm.wakeAt(
      Math.min(heartbeat, wakeAt, this.#parts.followers.retryAt ?? endsAt, attemptAt, endsAt),
    )
  }

  /** Whether a request finds no task here. */
  get #isUnknown(): boolean {
    return this.#parts.storage.existing?.task() === undefined || this.#isExpired
  }

  /** Whether its lifetime is over: the alarm that deletes the task may be late. One whose job is being cancelled is kept. */
  get #isExpired(): boolean {
    const { storage, jobs } = this.#parts
    return storage.endsAt <= Date.now() && jobs.nextAt === undefined
  }

  /** Deletes the task at the end of its lifetime, in any state. */
  async #expire(): Promise<void> {
    const { driver, run } = this.#parts.runner
    if (run !== undefined) driver.apply(run, { type: 'terminate' })
    this.#parts.changes.publish()
    await this.#parts.storage.drop()
  }

  /** A place that cannot be freed now is free when the task expires. */
  async #freePlace(): Promise<void> {
    const owner = this.#parts.storage.existing?.task()?.owner ?? null
    if (owner === null) return
    try {
      await this.#parts.index.free(owner, this.#parts.storage.readRequest().name)
    } catch (error) {
      this.#parts.deployment.report({ type: 'internal-error', error })
    }
  }

  async #expireInbox(): Promise<void> {
    const { expiresAt } = this.#parts.inbox
    if (expiresAt === undefined) return
    if (expiresAt <= Date.now()) await this.#parts.storage.drop()
    else this.#parts.alarm.wakeAt(expiresAt)
  }

  /** Continues a run that was interrupted. */
  #recover(): void {
    const state = this.#parts.storage.existing?.task()?.state
    if (state === 'running' || state === 'ready') this.#parts.runner.driver.recover()
  }
}
