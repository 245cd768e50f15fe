/** The sessions that receive the changes of a task for their clients: asks, states, and its end. */
import type { TaskFollower, TaskSnapshot } from '../../src/ports/tasks.ts'
import type { Progress } from '../../src/protocol/codec/codec.ts'
import { metaOf, readProgressToken } from '../../src/protocol/meta.ts'
import { errorTextOf } from '../../src/protocol/tasks.ts'
import type { FollowerRow } from './schema.ts'
import type { TaskParts } from './task-parts.ts'
import { readSnapshot } from './task-state.ts'

/**
 * How long after the creation nothing is sent: a client that is asked about a task before it has received
 * the task id cannot know what it is asked for.
 */
const FIRST_DELAY_MS = 500

/** Bounds of the time between two attempts to reach a session. It grows with the age of the change. */
const RETRY_MS = { least: 10_000, most: 60 * 60 * 1000 }

export class TaskFollowers {
  readonly #parts: TaskParts
  #isNotifying = false
  /** What the handler has reported since the sessions were notified. */
  progress: Progress | undefined

  constructor(parts: TaskParts) {
    this.#parts = parts
  }

  /** Adds a session that has received the present state. */
  add(follower: TaskFollower): void {
    const { statements } = this.#parts.storage
    const notified = statements.task()?.version ?? 0
    const text = JSON.stringify(follower)
    statements.insertFollower({ session: follower.claims.name, follower: text, notified })
  }

  /** Sends the present state to each session that has not received it. A state between two is skipped. */
  notify(): void {
    if (this.#isNotifying || this.#behind.length === 0) return
    this.#isNotifying = true
    this.#parts.waitUntil(this.#notifyAll())
  }

  /** Whether a session follows: the alarm tries again to notify it. */
  get any(): boolean {
    return (this.#parts.storage.existing?.followers() ?? []).length > 0
  }

  /** When to try again, in epoch milliseconds; undefined when every session has the present state. */
  get retryAt(): number | undefined {
    const row = this.#parts.storage.existing?.task()
    if (row === undefined || this.#behind.length === 0) return undefined
    const now = Date.now()
    return now + Math.min(Math.max(now - row.updated_at, RETRY_MS.least), RETRY_MS.most)
  }

  get #behind(): FollowerRow[] {
    const { existing } = this.#parts.storage
    const followers = existing?.followers() ?? []
    // Most tasks have none, and their row need not be read.
    const row = followers.length > 0 ? existing?.task() : undefined
    return row === undefined ? [] : followers.filter(({ notified }) => notified < row.version)
  }

  async #notifyAll(): Promise<void> {
    try {
      await this.#untilKnown()
      for (;;) {
        const state = readSnapshot(this.#parts.storage)
        const behind = this.#behind
        if (state === undefined || behind.length === 0) return
        const { progress } = this
        const notified = await Promise.all(
          behind.map((row) => this.#notifyOne(row, state, progress)),
        )
        if (this.progress === progress) this.progress = undefined
        // The alarm tries again.
        if (notified.includes(false)) return
      }
    } finally {
      this.#isNotifying = false
    }
  }

  async #untilKnown(): Promise<void> {
    const createdAt = this.#parts.storage.existing?.task()?.created_at ?? 0
    const waitMs = createdAt + FIRST_DELAY_MS - Date.now()
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
  }

  /** False when the session could not be reached. */
  async #notifyOne(
    { session, follower }: FollowerRow,
    state: TaskSnapshot,
    progress: Progress | undefined,
  ): Promise<boolean> {
    const { storage, deployment } = this.#parts
    const sessions = deployment.services.sessions()
    if (sessions === undefined) return false
    try {
      const { name, params } = storage.readRequest()
      const token = readProgressToken(metaOf(params))
      const { result, error: _, ...rest } = state
      // Of the result, the session needs to know only whether it is an error, and which.
      const text = result && errorTextOf(result)
      const failure = { isError: true, content: text === undefined ? [] : [{ type: 'text', text }] }
      const sent: TaskSnapshot = {
        ...rest,
        ...(result?.isError === true && { result: failure }),
        ...(progress !== undefined && token !== undefined && { progress: { token, ...progress } }),
      }
      const isKnown = await sessions.taskChanged(JSON.parse(follower), name, sent)
      if (isKnown) storage.existing?.saveNotified(session, state.version)
      else storage.existing?.deleteFollower(session)
      return true
    } catch (error) {
      deployment.report({ type: 'internal-error', error })
      return false
    }
  }
}
