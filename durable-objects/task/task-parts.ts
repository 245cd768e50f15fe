/** The parts of one task object, and how they are connected. */
import type { DefinedDeployment } from '../../src/dispatch/deployment.ts'
import { findRevision, MODERN } from '../../src/protocol/revisions.ts'
import { EarliestAlarm } from '../earliest-alarm.ts'
import { createCallerRecords, type RunHost } from '../run/run-host.ts'
import { EventInbox } from './event-inbox.ts'
import { JobCancellation } from './job-cancellation.ts'
import { TaskChanges } from './task-changes.ts'
import type { CreateTaskEndPart, TaskEndPart } from './task-end-part.ts'
import { TaskFollowers } from './task-followers.ts'
import { indexShards, TaskIndex } from './task-index.ts'
import { TaskRunner } from './task-runner.ts'
import { TaskServer } from './task-server.ts'
import { readSnapshot } from './task-state.ts'
import { TaskStorage } from './task-storage.ts'

/** Interval of alarms while a handler runs: they keep the object in memory, and find an interrupted run. */
export const HEARTBEAT_MS = 10_000

export class TaskParts {
  readonly storage: TaskStorage
  readonly deployment: DefinedDeployment
  readonly server: TaskServer
  readonly alarm: EarliestAlarm
  readonly followers: TaskFollowers
  readonly changes: TaskChanges
  readonly inbox: EventInbox
  readonly index: TaskIndex
  readonly jobs: JobCancellation
  /** Undefined in an app where no feature reads the ends of tasks. */
  readonly ends: TaskEndPart | undefined
  readonly runner: TaskRunner
  readonly waitUntil: (work: Promise<unknown>) => void

  constructor(
    ctx: DurableObjectState,
    env: Cloudflare.Env,
    host: RunHost,
    createEnds: CreateTaskEndPart,
  ) {
    const deployment = host.deploymentOf(env)
    const storage = new TaskStorage(ctx.storage)
    const waitUntil = (work: Promise<unknown>) => ctx.waitUntil(work)
    const callers = createCallerRecords(host, env, () => `task ${ctx.id}`)
    const server = new TaskServer({
      host,
      deployment,
      storedServer: () =>
        storage.existing?.task() === undefined ? undefined : storage.readRequest().server,
    })
    this.storage = storage
    this.deployment = deployment
    this.waitUntil = waitUntil
    this.server = server
    this.alarm = new EarliestAlarm(ctx, storage.existing !== undefined)
    this.followers = new TaskFollowers({ storage, ...deployment, waitUntil })
    this.changes = new TaskChanges(storage, deployment, this.followers, waitUntil)
    this.inbox = new EventInbox(storage, () => this.changes.publish())
    this.index = new TaskIndex(indexShards(env), deployment.audience)
    this.jobs = new JobCancellation({ storage, deployment, callers, server })
    this.ends = createEnds({
      storage,
      deployment,
      callers,
      snapshot: () => readSnapshot(storage),
    })
    this.runner = new TaskRunner({
      storage,
      deployment,
      server,
      waitUntil,
      callers,
      codecOf: ({ request }) => host.codecOf(findRevision(request.revision) ?? MODERN),
      changed: (columns) => this.changes.save(columns),
      ending: () => {
        for (const attemptAt of [this.jobs.plan(), this.ends?.plan()]) {
          if (attemptAt !== undefined) this.alarm.wakeAt(attemptAt)
        }
      },
      schedule: (by = Number.POSITIVE_INFINITY) =>
        this.alarm.wakeAt(Math.min(Date.now() + HEARTBEAT_MS, by, storage.endsAt)),
      callTask: ({ request }) => ({
        id: request.taskId,
        reportProgress: (progress) => this.changes.progress(progress),
      }),
    })
  }
}
