/** Passes the end of a task on, in the object of the task: by its alarm, until it was accepted. */

import type { EndRow, TaskEndContext, TaskEndPart } from '../../../../src/internal.ts'
import type { TaskAccess } from '../../../../src/ports/tasks.ts'
import { retryPauseMs } from './retry-pause.ts'

export interface EndedTask {
  readonly taskId: string
  readonly access: TaskAccess
  readonly status: string
  /** Epoch milliseconds. */
  readonly endedAt: number
  readonly subject: string
}

/** The last attempt is about a day after the first one. */
const MAX_ATTEMPTS = 36

/** The pause after the first attempt. */
const FIRST_PAUSE_MS = 1_000

export class TaskEnds implements TaskEndPart {
  readonly #context: TaskEndContext
  readonly #emit: (task: EndedTask, env: unknown) => Promise<unknown>
  #isDiscarded = false

  constructor(context: TaskEndContext, emit: (task: EndedTask, env: unknown) => Promise<unknown>) {
    this.#context = context
    this.#emit = emit
  }

  get nextAt(): number | undefined {
    return this.#row?.next_at
  }

  /** A task without the record of a caller is that of an anonymous one: it has no owner who could receive the event. */
  plan(): number | undefined {
    const { statements } = this.#context.storage
    const caller = statements.task()?.caller ?? null
    if (caller === null || this.#isDiscarded) return undefined
    const now = Date.now()
    statements.insertEnd({ caller, ended_at: now, next_at: now })
    return now
  }

  async attempt(now: number): Promise<void> {
    const row = this.#row
    if (row === undefined || row.next_at > now) return
    const { storage, deployment } = this.#context
    const attempts = row.attempts + 1
    // Written first, so that an attempt which ends the object is counted.
    storage.statements.saveEndAttempt(attempts, now + retryPauseMs(FIRST_PAUSE_MS, attempts))
    try {
      const task = await this.#taskOf(row)
      if (task !== undefined && !this.#isDiscarded) await this.#emit(task, deployment.env)
    } catch (error) {
      deployment.report({ type: 'internal-error', error })
      if (attempts < MAX_ATTEMPTS) return
    }
    storage.existing?.deleteEnd()
  }

  discard(): void {
    this.#isDiscarded = true
    this.#context.storage.existing?.deleteEnd()
  }

  /** Undefined when the keys of the record are gone. */
  async #taskOf({ caller, ended_at }: EndRow): Promise<EndedTask | undefined> {
    const { callers, snapshot } = this.#context
    const subject = (await callers.open(caller))?.auth.subject
    const { taskId, status, access } = snapshot() ?? {}
    if (subject === undefined || taskId === undefined || access === undefined) return undefined
    return { taskId, access, status: String(status), endedAt: ended_at, subject }
  }

  get #row() {
    return this.#context.storage.existing?.end()
  }
}
