/**
 * The tasks that a session follows: each reports its changes, in any order. `task-asks.ts` sends what they ask,
 * `task-reports.ts` their states.
 */

import { HELD_CALL } from '../../../src/dispatch/journal/journal.ts'
import type { TaskFollower, TaskSnapshot } from '../../../src/ports/tasks.ts'
import { isJsonObject } from '../../../src/protocol/json.ts'
import type { ResponseMessage } from '../../../src/protocol/json-rpc.ts'
import { isOverStatus } from '../../../src/protocol/tasks.ts'
import type { TaskPart, TaskPartContext } from '../../session/task-part.ts'
import { StandaloneStream } from './standalone-stream.ts'
import { waitsForTask } from './task-ask-statements.ts'
import { TaskAsks } from './task-asks.ts'
import { TaskReports } from './task-reports.ts'

export class SessionTasks implements TaskPart {
  readonly #context: TaskPartContext
  readonly #asks: TaskAsks
  readonly #reports: TaskReports
  /** The version of each task that was received last, because states may arrive out of order. */
  readonly #versions = new Map<string, number>()

  constructor(context: TaskPartContext) {
    this.#context = context
    const standalone = new StandaloneStream(context)
    this.#asks = new TaskAsks(context, standalone)
    this.#reports = new TaskReports(context, standalone)
  }

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

  async changed(task: string, state: TaskSnapshot, follower: TaskFollower): Promise<void> {
    if (await this.#receive(task, state, follower)) this.#reports.report(state)
    if (isOverStatus(state.status)) {
      const { runs, storage } = this.#context
      runs.driver.end(waitsForTask(storage, state.taskId))
    }
  }

  abandon(run: string): void {
    const { storage, deployment } = this.#context
    const held = storage.readEntry(run, HELD_CALL)
    if (!isJsonObject(held) || held.hasBegun !== true) return
    const name = String(held.name)
    const report = (error: unknown) => deployment.report({ type: 'internal-error', error })
    void deployment.services.tasks()?.cancel(name).catch(report)
  }

  respond(message: ResponseMessage): Promise<boolean> {
    return this.#asks.respond(message)
  }

  expire(now: number): void {
    this.#asks.expire(now)
  }

  deliver(): void {
    this.#asks.deliver()
  }

  /** False for a state that is older than one that was received. */
  async #receive(task: string, state: TaskSnapshot, { subject }: TaskFollower): Promise<boolean> {
    const { asks } = this.#context
    const open = this.#asks.answerable(state)
    await asks.announce({ requests: open }, subject)
    const last = this.#versions.get(task) ?? 0
    if (state.version < last) return false
    this.#versions.set(task, state.version)
    this.#asks.replace(task, state, open)
    return state.version > last
  }
}
