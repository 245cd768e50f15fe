/**
 * The tasks that a session follows: each reports its changes, in any order. `task-asks.ts` sends what they ask,
 * `task-reports.ts` their states.
 */
import type { Deployment } from '../../src/dispatch/call.ts'
import type { TaskFollower, TaskSnapshot } from '../../src/ports/tasks.ts'
import { isOverStatus } from '../../src/protocol/tasks.ts'
import type { Asks } from './asks.ts'
import type { ClientState } from './client-state.ts'
import type { RunWaits } from './run-waits.ts'
import type { TaskAsks } from './task-asks.ts'
import type { TaskReports } from './task-reports.ts'

export interface SessionTasksContext {
  readonly asks: Asks
  readonly taskAsks: TaskAsks
  readonly reports: TaskReports
  readonly client: ClientState
  readonly waits: RunWaits
  readonly deployment: Deployment
}

export class SessionTasks {
  readonly #context: SessionTasksContext
  /** The version of each task that was received last, because states may arrive out of order. */
  readonly #versions = new Map<string, number>()

  constructor(context: SessionTasksContext) {
    this.#context = context
  }

  /** Asks a task to report its changes to this session, and returns its present state. */
  async follow(task: string, subject: string | undefined): Promise<TaskSnapshot | undefined> {
    const { client, deployment } = this.#context
    const follower = { claims: client.claims, subject }
    for (;;) {
      const state = await deployment.services.tasks()?.follow(task, follower)
      if (state === undefined || isOverStatus(state.status)) return state
      await this.#receive(task, state, follower)
      // The task may have changed, and reported it, while its asks were announced.
      if ((this.#versions.get(task) ?? 0) <= state.version) return state
    }
  }

  /** Processes a change that a task reports. */
  async changed(task: string, state: TaskSnapshot, follower: TaskFollower): Promise<void> {
    const { reports, waits } = this.#context
    if (await this.#receive(task, state, follower)) reports.report(state)
    if (isOverStatus(state.status)) waits.taskEnded(state.taskId)
  }

  /** False for a state that is older than one that was received. */
  async #receive(task: string, state: TaskSnapshot, { subject }: TaskFollower): Promise<boolean> {
    const { asks, taskAsks, deployment } = this.#context
    const open = taskAsks.answerable(state)
    await asks.announce({ requests: open }, subject, deployment)
    const last = this.#versions.get(task) ?? 0
    if (state.version < last) return false
    this.#versions.set(task, state.version)
    taskAsks.replace(task, state, open)
    return state.version > last
  }
}
