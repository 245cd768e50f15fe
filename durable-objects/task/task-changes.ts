/** The changes of a task that its clients can see: counted, and sent to those who wait for them. */
import type { TaskMessage } from '../../src/ports/tasks.ts'
import type { Progress } from '../../src/protocol/codec/codec.ts'
import { MAX_STATUS_MESSAGE_LENGTH } from '../../src/protocol/tasks.ts'
import type { RunColumns } from '../run/run-statements.ts'
import { TASK_RUN } from './schema.ts'
import type { TaskParts } from './task-parts.ts'
import type { TaskRun } from './task-run.ts'

/** Shortest time between two rows that report progress. The last report is always written. */
const PROGRESS_INTERVAL_MS = 500

/** Messages that wait for the request that holds the call. Beyond them the oldest is dropped. */
const MAX_MESSAGES = 100

export class TaskChanges {
  readonly #parts: TaskParts
  readonly #waiting = new Set<() => void>()
  readonly #messages: TaskMessage[] = []
  /** The last progress, until it is saved. */
  #reported:
    | { readonly progress: Progress; readonly message: string; readonly sent: string }
    | undefined
  #reportedAt = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(parts: TaskParts) {
    this.#parts = parts
  }

  /**
   * Saves a change of the row and counts it, with the last progress as the status message unless the change has
   * one.
   */
  save(changed: RunColumns): void {
    const { existing } = this.#parts.storage
    const row = existing?.task()
    if (existing === undefined || row === undefined) return
    if (this.#timer !== undefined) clearTimeout(this.#timer)
    this.#timer = undefined
    const reported = this.#reported
    this.#reported = undefined
    // Sessions receive what is saved alone: a handler that runs again after a kill must not report it a second time.
    if (reported !== undefined) this.#parts.followers.progress = reported.progress
    const { status_message = reported?.message ?? row.status_message } = changed
    existing.saveRun(TASK_RUN, {
      ...(reported && { sent: reported.sent }),
      ...changed,
      status_message:
        typeof status_message === 'string'
          ? status_message.slice(0, MAX_STATUS_MESSAGE_LENGTH)
          : null,
      updated_at: Date.now(),
      version: row.version + 1,
    })
    this.publish()
  }

  /** Whether there is something to take. */
  get hasMessages(): boolean {
    return this.#messages.length > 0
  }

  /** Keeps what the handler of a held call has reported, in memory alone. */
  addMessage(message: TaskMessage): void {
    this.#messages.push(message)
    if (this.#messages.length > MAX_MESSAGES) this.#messages.shift()
    for (const resolve of this.#waiting) resolve()
  }

  takeMessages(): readonly TaskMessage[] {
    return this.#messages.splice(0)
  }

  /** Shows progress as the status message. */
  progress(run: TaskRun, reported: Progress): void {
    const { progress, total, message } = reported
    const count = total === undefined ? String(progress) : `${progress} of ${total}`
    // A client without tasks has no other way to know how far the work is.
    const shown = message === undefined ? count : run.isHeld ? `${count}: ${message}` : message
    const sent = JSON.stringify({ ...run.sent, progress })
    this.#reported = { progress: reported, message: shown, sent }
    if (this.#timer !== undefined || this.#parts.storage.existing?.task() === undefined) return
    const report = () => {
      this.#timer = undefined
      this.#reportedAt = Date.now()
      if (this.#reported !== undefined) this.save({})
    }
    const wait = this.#reportedAt + PROGRESS_INTERVAL_MS - Date.now()
    if (wait <= 0) report()
    else this.#timer = setTimeout(report, wait)
  }

  /** Saves progress that was reported before there was a row. */
  flush(): void {
    if (this.#reported !== undefined) this.save({})
  }

  /** Resolves with the next change, or after the time. */
  async next(timeoutMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.add(resolve)
    const timer = setTimeout(resolve, timeoutMs)
    try {
      await promise
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(resolve)
    }
  }

  /** Resolves the waiting calls, notifies the sessions that follow, and publishes to listeners of the hub if there are any. */
  publish(): void {
    for (const resolve of this.#waiting) resolve()
    this.#parts.followers.notify()
    const { storage, deployment, waitUntil } = this.#parts
    const bus = deployment.services.changes()
    const row = bus && storage.existing?.task()
    if (row === undefined || bus === undefined || row.watched_until <= Date.now()) return
    const { name } = storage.readRequest()
    const report = (error: unknown) => deployment.report({ type: 'internal-error', error })
    waitUntil(bus.publish({ kind: 'task_updated', task: name }).catch(report))
  }
}
