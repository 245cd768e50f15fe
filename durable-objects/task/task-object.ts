/** The Durable Object of one task. Its class belongs to a definition, because handlers run in it. */
import { DurableObject } from '#runtime'
import type { CallTask } from '../../src/dispatch/call.ts'
import type { DefinedDeployment } from '../../src/dispatch/deployment.ts'
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
import { findRevision, MODERN } from '../../src/protocol/revisions.ts'
import { isOverStatus } from '../../src/protocol/tasks.ts'
import { EarliestAlarm } from '../earliest-alarm.ts'
import { CallerRecords } from '../run/caller-records.ts'
import { OTHER_SERVER_ALARM_MS } from '../run/server-guard.ts'
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
import { TaskServer } from './task-server.ts'
import { readSnapshot } from './task-state.ts'
import { TaskStorage } from './task-storage.ts'

/**
 * The RPC of the object: the port `Tasks`, with JSON as text.
 *
 * Each method but `start`, whose request has it, takes the server of the caller, from `serverText`. Absent: a Worker of an
 * earlier version calls. All reject with an {@link OtherServerError} for another server than that of the class.
 */
export interface TaskRpc {
  start(start: string): Promise<TaskBeginning>
  read(server?: string): Promise<TaskSnapshot | undefined>
  wait(version: number, timeoutMs: number, server?: string): Promise<TaskSnapshot | undefined>
  update(responses: string, refusals?: string, server?: string): Promise<boolean>
  follow(follower: string, server?: string): Promise<TaskSnapshot | undefined>
  cancel(server?: string): Promise<CancelledTask | undefined>
  erase(server?: string): Promise<boolean>
  deliver(key: string, value: string, server?: string): Promise<Delivery>
  deliveryRefusal(key: string, server?: string): Promise<DeliveryRefusal | undefined>
  openInbox(expiresAt: number, server?: string): Promise<void>
  receive(event: string, timeoutMs: number, server?: string): Promise<ReceivedEvent | undefined>
  closeInbox(server?: string): Promise<void>
  watch(until: number, server?: string): Promise<TaskSnapshot | undefined>
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
    readonly #server: TaskServer
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
      this.#server = new TaskServer({
        server: host.server,
        storage,
        deployment,
        requiresCaller: renewCaller !== undefined && !allowsAnonymous,
      })
      this.#alarm = new EarliestAlarm(ctx, storage.existing !== undefined)
      this.#followers = new TaskFollowers({ storage, ...deployment, waitUntil })
      this.#changes = new TaskChanges(storage, deployment, this.#followers, waitUntil)
      this.#answers = new TaskAnswers(storage, () => this.#storedRunner)
      this.#inbox = new EventInbox(storage, () => this.#changes.publish())
      this.#index = new TaskIndex(indexShards(env), deployment.audience)
      this.#callers = new CallerRecords({
        nameOf: () => `task ${ctx.id}`,
        sealer: deployment.services.sealer,
        renew: renewCaller && ((record) => renewCaller(record, env)),
        allowsAnonymous,
      })
      this.#jobs = new JobCancellation({
        storage,
        deployment,
        callers: this.#callers,
        server: this.#server,
      })
    }

    async start(text: string): Promise<TaskBeginning> {
      const start = JSON.parse(text) as TaskStart
      const other = await this.#server.refusalOfStart(start)
      if (other !== undefined) return { kind: 'error', error: other }
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

    async read(server?: string): Promise<TaskSnapshot | undefined> {
      this.#server.check(server)
      if (!this.#server.ownsRows) return undefined
      this.#recover()
      return readSnapshot(this.#storage)
    }

    async wait(
      version: number,
      timeoutMs: number,
      server?: string,
    ): Promise<TaskSnapshot | undefined> {
      const before = await this.read(server)
      if (before === undefined || before.version > version || isOverStatus(before.status))
        return before
      await this.#changes.next(timeoutMs)
      return readSnapshot(this.#storage)
    }

    async update(responses: string, refusals = '{}', server?: string): Promise<boolean> {
      this.#server.check(server)
      if (this.#storage.existing?.task() === undefined || !this.#server.ownsRows) return false
      this.#recover()
      this.#answers.update(JSON.parse(responses) as JsonObject, JSON.parse(refusals))
      return true
    }

    /** Notifies a session of every change from now on, and returns the present state. */
    async follow(follower: string, server?: string): Promise<TaskSnapshot | undefined> {
      const state = await this.read(server)
      if (state !== undefined && !isOverStatus(state.status)) {
        this.#followers.add(JSON.parse(follower) as TaskFollower)
      }
      return state
    }

    async cancel(server?: string): Promise<CancelledTask | undefined> {
      this.#server.check(server)
      // A call that has not become a task has no row.
      if (this.#storage.existing?.task() === undefined) {
        this.#runner?.run?.cancellation.cancel('cancelled-by-client')
        return undefined
      }
      if (!this.#server.ownsRows) return undefined
      const runner = this.#storedRunner
      const run = runner?.run
      if (run !== undefined) runner?.apply(run, { type: 'cancel' })
      const state = readSnapshot(this.#storage)
      if (state === undefined) return undefined
      if (run === undefined) return { ...state, wasOver: true }
      if (state.status === 'cancelled') await this.#freePlace()
      return state
    }

    async erase(server?: string): Promise<boolean> {
      await this.cancel(server)
      if (this.#storage.existing?.task() === undefined) return true
      // Its job is one of another definition.
      if (this.#server.ownsRows) await this.#jobs.attempt(Date.now())
      // The job of a task is cancelled before its rows are deleted.
      if (this.#server.ownsRows && this.#jobs.nextAt !== undefined) return false
      await this.#expire()
      return true
    }

    async deliver(key: string, value: string, server?: string): Promise<Delivery> {
      this.#server.check(server)
      if (this.#inbox.expiresAt !== undefined) return this.#inbox.deliver(key, value)
      if (!this.#server.ownsRows) return { kind: 'unknown' }
      this.#recover()
      return this.#answers.deliver(key, value)
    }

    async deliveryRefusal(key: string, server?: string): Promise<DeliveryRefusal | undefined> {
      this.#server.check(server)
      if (this.#inbox.expiresAt !== undefined) return this.#inbox.deliveryRefusal(key)
      if (!this.#server.ownsRows) return 'unknown'
      this.#recover()
      return this.#answers.deliveryRefusal(key)
    }

    async openInbox(expiresAt: number, server?: string): Promise<void> {
      this.#server.check(server)
      this.#inbox.open(expiresAt)
      this.#alarm.wakeAt(expiresAt)
    }

    /** Keeps the object in memory while it waits. */
    async receive(
      text: string,
      timeoutMs: number,
      server?: string,
    ): Promise<ReceivedEvent | undefined> {
      const event = JSON.parse(text) as InboxEvent
      await this.openInbox(event.expiresAt, server)
      return this.#inbox.receive(event, timeoutMs, (ms) => this.#changes.next(ms))
    }

    async closeInbox(server?: string): Promise<void> {
      this.#server.check(server)
      this.#inbox.close()
    }

    async watch(until: number, server?: string): Promise<TaskSnapshot | undefined> {
      this.#server.check(server)
      if (!this.#server.ownsRows) return undefined
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
      if (!this.#server.ownsRows) {
        if (now >= endsAt) return this.#expire()
        this.#server.reportRows()
        return this.#alarm.wakeAt(Math.min(now + OTHER_SERVER_ALARM_MS, endsAt))
      }
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

    /** A place that cannot be freed now is free when the task expires. */
    async #freePlace(): Promise<void> {
      const owner = this.#storage.existing?.task()?.owner ?? null
      if (owner === null) return
      try {
        await this.#index.free(owner, this.#storage.readRequest().name)
      } catch (error) {
        this.#deployment.report({ type: 'internal-error', error })
      }
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
        server: this.#server,
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
