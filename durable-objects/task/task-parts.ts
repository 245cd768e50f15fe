/** The parts of one task object, and how they are connected: each reads the others from here. */
import type { CallTask } from '../../src/dispatch/call.ts'
import type { DefinedDeployment } from '../../src/dispatch/deployment.ts'
import type { AppObjects } from '../../src/ports/objects.ts'
import type { TaskLimits } from '../../src/ports/task-limits.ts'
import type { TaskMessage } from '../../src/ports/tasks.ts'
import type { Codec } from '../../src/protocol/codec/codec.ts'
import { findRevision, MODERN } from '../../src/protocol/revisions.ts'
import { EarliestAlarm } from '../earliest-alarm.ts'
import { CallerRecords } from '../run/caller-records.ts'
import type { RunHost } from '../run/run-host.ts'
import { EventInbox } from './event-inbox.ts'
import { JobCancellation } from './job-cancellation.ts'
import { TaskChanges } from './task-changes.ts'
import type { CreateTaskEndPart, TaskEndPart } from './task-end-part.ts'
import { TaskFollowers } from './task-followers.ts'
import { TaskIndex } from './task-index.ts'
import type { TaskRun } from './task-run.ts'
import { TaskRunner } from './task-runner.ts'
import { readSnapshot } from './task-state.ts'
import { TaskStorage } from './task-storage.ts'

/** Interval of alarms while a handler runs: they keep the object in memory, and find an interrupted run. */
export const HEARTBEAT_MS = 10_000

/** What a task object is given. */
export interface TaskPlace {
  readonly state: DurableObjectState
  readonly env: Cloudflare.Env
  readonly objects: AppObjects
  readonly host: RunHost<TaskLimits>
}

export class TaskParts {
  readonly host: RunHost<TaskLimits>
  readonly storage: TaskStorage
  readonly deployment: DefinedDeployment
  readonly callers: CallerRecords
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

  constructor({ state, env, objects, host }: TaskPlace, createEnds: CreateTaskEndPart) {
    const deployment = host.deploymentOf(env)
    const storage = new TaskStorage(state.storage)
    const { sealer } = deployment.services
    this.host = host
    this.storage = storage
    this.deployment = deployment
    this.waitUntil = (work) => state.waitUntil(work)
    this.callers = new CallerRecords({ host, env, sealer, nameOf: () => `task ${state.id}` })
    this.alarm = new EarliestAlarm(state, storage.existing !== undefined)
    this.followers = new TaskFollowers(this)
    this.changes = new TaskChanges(this)
    this.inbox = new EventInbox(storage, () => this.changes.publish())
    this.index = new TaskIndex(objects.of('principals'), deployment.audience)
    this.jobs = new JobCancellation(this)
    const { callers } = this
    this.ends = createEnds({ storage, deployment, callers, snapshot: () => readSnapshot(storage) })
    this.runner = new TaskRunner(this)
  }

  codecOf({ request }: TaskRun): Codec {
    return this.host.codecOf(findRevision(request.revision) ?? MODERN)
  }

  /** The task as its handler sees it. */
  readonly callTaskOf = (run: TaskRun): CallTask => ({
    get id() {
      run.isNamed = true
      return run.request.taskId
    },
    addCalledTool: (called) => run.addCalledTool(called),
    markToolError: () => {
      run.isToolError = true
    },
    reportProgress: (progress) => {
      this.changes.progress(run, progress)
      this.report(run, { kind: 'progress', progress })
    },
  })

  /** Keeps what the handler of a held call reports for the request that holds it. */
  readonly report = (run: TaskRun, message: TaskMessage): void => {
    if (!run.isHeld) return
    this.changes.addMessage(message)
    run.needsRow.resolve(undefined)
  }

  /** Sets an alarm: at the latest at `by`, and always soon enough to find an interrupted run. */
  readonly schedule = (by = Number.POSITIVE_INFINITY): void =>
    this.alarm.wakeAt(Math.min(Date.now() + HEARTBEAT_MS, by, this.storage.endsAt))
}
