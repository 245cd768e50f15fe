/** The Durable Object of one task. Its class belongs to a definition, because handlers run in it. */
import { DurableObject } from '#runtime'
import type { CallTask } from '../../src/dispatch/call.ts'
import type { DefinedDeployment } from '../../src/dispatch/deployment.ts'
import type {
  CancelledTask,
  Delivery,
  InboxEvent,
  ReceivedEvent,
  TaskBeginning,
  TaskFollower,
  TaskSnapshot,
  TaskStart,
} from '../../src/ports/tasks.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { findRevision, MODERN } from '../../src/protocol/revisions.ts'
import { isOverStatus } from '../../src/protocol/tasks.ts'
import { EarliestAlarm } from '../earliest-alarm.ts'
import { CallerRecords } from '../run/caller-records.ts'
import { beginTask } from './begin-task.ts'
import { EventInbox } from './event-inbox.ts'
import { JobCancellation } from './job-cancellation.ts'
import { TaskAnswers } from './task-answers.ts'
import { TaskChanges } from './task-changes.ts'
import { TaskFollowers } from './task-followers.ts'
import type { TaskHost } from './task-host.ts'
import { indexShards, TaskIndex } from './task-index.ts'
import { TaskRun } from './task-run.ts'
import { TaskRunner } from './task-runner.ts'
import { readSnapshot } from './task-state.ts'
import { TaskStorage } from './task-storage.ts'

/** The RPC of the object: the port `Tasks`, with JSON as text. */
export interface TaskRpc {
  start(start: string): Promise<TaskBeginning>
  read(): Promise<TaskSnapshot | undefined>
  wait(version: number, timeoutMs: number): Promise<TaskSnapshot | undefined>
  update(responses: string, refusals?: string): Promise<boolean>
  follow(follower: string): Promise<TaskSnapshot | undefined>
  cancel(): Promise<CancelledTask | undefined>
  erase(): Promise<boolean>
  deliver(key: string, value: string): Promise<Delivery>
  openInbox(expiresAt: number): Promise<void>
  receive(event: string, timeoutMs: number): Promise<ReceivedEvent | undefined>
  closeInbox(): Promise<void>
  watch(until: number): Promise<TaskSnapshot | undefined>
}

export type TaskObjectClass = new (
  ctx: DurableObjectState,
  env: Cloudflare.Env,
) => DurableObject & TaskRpc

/** Interval of alarms while a handler runs: they keep the object in memory, and find an interrupted run. */
const HEARTBEAT_MS = 10_000

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
export function createTaskClass(host: TaskHost): TaskObjectClass {
  return class McpTask extends DurableObject implements TaskRpc {
    readonly #storage: TaskStorage
    readonly #alarm: EarliestAlarm
    readonly #followers: TaskFollowers
    readonly #changes: TaskChanges
    readonly #answers: TaskAnswers
    readonly #inbox: EventInbox
    readonly #index: TaskIndex
    readonly #callers: CallerRecords
    readonly #jobs: JobCancellation
    readonly #deployment: DefinedDeployment
    #runner: TaskRunner | undefined

    constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
      super(ctx, env)
      const { renewCaller, allowsAnonymous } = host
      const deployment = host.deploymentOf(env)
      const storage = new TaskStorage(ctx.storage)
      this.#storage = storage
      this.#deployment = deployment
      const waitUntil = (work: Promise<unknown>) => ctx.waitUntil(work)
      this.#alarm = new EarliestAlarm(ctx, storage.existing !== undefined)
      this.#followers = new TaskFollowers({ storage, ...deployment, waitUntil })
      this.#changes = new TaskChanges(storage, deployment, this.#followers, waitUntil)
      this.#answers = new TaskAnswers(storage, () => this.#storedRunner)
      this.#inbox = new EventInbox(storage, () => this.#changes.publish())
      this.#index = new TaskIndex(indexShards(env))
      this.#callers = new CallerRecords({
        nameOf: () => `task ${ctx.id}`,
        sealer: deployment.services.sealer,
        renew: renewCaller && ((record) => renewCaller(record, env)),
        allowsAnonymous,
      })
      this.#jobs = new JobCancellation({ storage, deployment, callers: this.#callers })
    }

    async start(text: string): Promise<TaskBeginning> {
      const start = JSON.parse(text) as TaskStart
      const existing = readSnapshot(this.#storage)
      if (existing !== undefined) return { kind: 'task', task: existing }
      const { request, journal } = start
      const transfer = journal === undefined ? undefined : JSON.parse(journal)
      const run = new TaskRun(this.#storage, request, undefined, undefined, transfer)
      const runner = this.#createRunner(request.name, request.revision)
      const context = {
        runner,
        index: this.#index,
        limit: host.limits.tasksPerPrincipal,
        codec: runner.codec,
        snapshot: () => this.#snapshot(),
        follow: (follower: TaskFollower) => this.#followers.add(follower),
        waitUntil: (work: Promise<unknown>) => this.ctx.waitUntil(work),
        report: this.#deployment.report,
      }
      return beginTask(context, run, start)
    }

    async read(): Promise<TaskSnapshot | undefined> {
      this.#recover()
      return readSnapshot(this.#storage)
    }

    async wait(version: number, timeoutMs: number): Promise<TaskSnapshot | undefined> {
      const before = await this.read()
      if (before === undefined || before.version > version || isOverStatus(before.status))
        return before
      await this.#changes.next(timeoutMs)
      return readSnapshot(this.#storage)
    }

    async update(responses: string, refusals = '{}'): Promise<boolean> {
      if (this.#storage.existing?.task() === undefined) return false
      this.#recover()
      this.#answers.update(JSON.parse(responses) as JsonObject, JSON.parse(refusals))
      return true
    }

    /** Notifies a session of every change from now on, and returns the present state. */
    async follow(follower: string): Promise<TaskSnapshot | undefined> {
      const state = await this.read()
      if (state !== undefined && !isOverStatus(state.status)) {
        this.#followers.add(JSON.parse(follower) as TaskFollower)
      }
      return state
    }

    async cancel(): Promise<CancelledTask | undefined> {
      const runner = this.#storedRunner
      const run = runner?.run
      if (run !== undefined) runner?.apply(run, { type: 'cancel' })
      const state = readSnapshot(this.#storage)
      return state && run === undefined ? { ...state, wasOver: true } : state
    }

    async erase(): Promise<boolean> {
      await this.cancel()
      if (this.#storage.existing?.task() === undefined) return true
      await this.#jobs.attempt(Date.now())
      // The job of a task is cancelled before its rows are deleted.
      if (this.#jobs.nextAt !== undefined) return false
      await this.#expire()
      return true
    }

    async deliver(key: string, value: string): Promise<Delivery> {
      if (this.#inbox.expiresAt !== undefined) return this.#inbox.deliver(key, value)
      this.#recover()
      return this.#answers.deliver(key, value)
    }

    async openInbox(expiresAt: number): Promise<void> {
      this.#inbox.open(expiresAt)
      this.#alarm.wakeAt(expiresAt)
    }

    /** Keeps the object in memory while it waits. */
    async receive(text: string, timeoutMs: number): Promise<ReceivedEvent | undefined> {
      const event = JSON.parse(text) as InboxEvent
      await this.openInbox(event.expiresAt)
      return this.#inbox.receive(event, timeoutMs, (ms) => this.#changes.next(ms))
    }

    async closeInbox(): Promise<void> {
      this.#inbox.close()
    }

    async watch(until: number): Promise<TaskSnapshot | undefined> {
      const row = this.#storage.existing?.task()
      if (row !== undefined && row.watched_until < until) this.#storage.statements.saveWatch(until)
      return this.read()
    }

    override async alarm(): Promise<void> {
      this.#alarm.reset()
      const row = this.#storage.existing?.task()
      if (row === undefined) return this.#expireInbox()
      const now = Date.now()
      const endsAt = this.#endsAt
      // The job of a task is cancelled before its rows are deleted.
      if (now >= endsAt && this.#jobs.hasJob) await this.cancel()
      await this.#jobs.attempt(now)
      const jobAt = this.#jobs.nextAt
      if (now >= endsAt) {
        if (jobAt === undefined) return this.#expire()
        return this.#alarm.wakeAt(jobAt)
      }
      this.#recover()
      this.#answers.wake(now)
      this.#followers.notify()
      const heartbeat = this.#runner?.isLive === true ? now + HEARTBEAT_MS : endsAt
      const wakeAt = this.#storage.existing?.nextWake() ?? endsAt
      this.#alarm.wakeAt(
        Math.min(heartbeat, wakeAt, this.#followers.retryAt ?? endsAt, jobAt ?? endsAt, endsAt),
      )
    }

    /** Deletes the task at the end of its lifetime, in any state. */
    async #expire(): Promise<void> {
      const run = this.#runner?.run
      if (run !== undefined) this.#runner?.apply(run, { type: 'terminate' })
      this.#runner = undefined
      this.#changes.publish()
      await this.#storage.deleteAll()
    }

    async #expireInbox(): Promise<void> {
      const { expiresAt } = this.#inbox
      if (expiresAt === undefined) return
      if (expiresAt <= Date.now()) await this.#storage.deleteAll()
      else this.#alarm.wakeAt(expiresAt)
    }

    /** Continues a run that was interrupted. */
    #recover(): void {
      const state = this.#storage.existing?.task()?.state
      if (state === 'running' || state === 'ready') this.#storedRunner?.recover()
    }

    /** When the task is deleted, in epoch milliseconds. */
    get #endsAt(): number {
      const row = this.#storage.existing?.task()
      return row === undefined ? Number.POSITIVE_INFINITY : row.created_at + row.ttl_ms
    }

    /** The runner of a task that has rows. */
    get #storedRunner(): TaskRunner | undefined {
      if (this.#storage.existing?.task() === undefined) return undefined
      if (this.#runner === undefined) {
        const { name, revision } = this.#storage.readRequest()
        this.#createRunner(name, revision)
      }
      return this.#runner
    }

    #createRunner(name: string, revision: string): TaskRunner {
      const changes = this.#changes
      const deployment = this.#deployment
      this.#runner = new TaskRunner({
        storage: this.#storage,
        name,
        codec: host.codecOf(findRevision(revision) ?? MODERN),
        deployment,
        callers: this.#callers,
        changed: (message) => changes.changed(message),
        ending: () => {
          const attemptAt = this.#jobs.plan()
          if (attemptAt !== undefined) this.#alarm.wakeAt(attemptAt)
        },
        schedule: (by = Number.POSITIVE_INFINITY) =>
          this.#alarm.wakeAt(Math.min(Date.now() + HEARTBEAT_MS, by, this.#endsAt)),
        waitUntil: (work) => this.ctx.waitUntil(work),
        callTask: ({ request }): CallTask => ({
          id: request.taskId,
          reportProgress: (progress) => changes.progress(progress),
        }),
      })
      return this.#runner
    }

    #snapshot(): TaskSnapshot {
      const snapshot = readSnapshot(this.#storage)
      if (snapshot === undefined) throw new TypeError('The task has no row')
      return snapshot
    }
  }
}
