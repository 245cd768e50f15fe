/** The sessions whose clients are told of the changes of a task: asks, states, and its end. */
import type { CallServices } from '../../src/dispatch/call.ts'
import type { TaskFollower, TaskSnapshot } from '../../src/ports/tasks.ts'
import type { TelemetrySink } from '../../src/ports/telemetry.ts'
import { errorTextOf } from '../../src/protocol/tasks.ts'
import type { FollowerRow } from './schema.ts'
import { readSnapshot } from './task-state.ts'
import type { TaskStorage } from './task-storage.ts'

/**
 * How long after the creation nothing is sent: a client that is asked about a task before it has received
 * the task id cannot know what it is asked for.
 */
const FIRST_DELAY_MS = 500

/** Bounds of the time between two attempts to reach a session. It grows with the age of the change. */
const RETRY_MS = { least: 10_000, most: 60 * 60 * 1000 }

export interface FollowersContext {
  readonly storage: TaskStorage
  readonly services: CallServices
  readonly report: TelemetrySink
  readonly waitUntil: (work: Promise<unknown>) => void
}

export class TaskFollowers {
  readonly #context: FollowersContext
  #isTelling = false

  constructor(context: FollowersContext) {
    this.#context = context
  }

  /** Adds a session that has received the present state. */
  add(follower: TaskFollower): void {
    const { statements } = this.#context.storage
    const told = statements.task()?.version ?? 0
    const text = JSON.stringify(follower)
    statements.insertFollower({ session: follower.claims.name, follower: text, told })
  }

  /** Sends the present state to each session that has not received it. A state between two is skipped. */
  tell(): void {
    if (this.#isTelling || this.#behind.length === 0) return
    this.#isTelling = true
    this.#context.waitUntil(this.#tellAll())
  }

  /** When to try again, in epoch milliseconds; undefined when every session has the present state. */
  get retryAt(): number | undefined {
    const row = this.#context.storage.existing?.task()
    if (row === undefined || this.#behind.length === 0) return undefined
    const now = Date.now()
    return now + Math.min(Math.max(now - row.updated_at, RETRY_MS.least), RETRY_MS.most)
  }

  get #behind(): FollowerRow[] {
    const { existing } = this.#context.storage
    const row = existing?.task()
    if (existing === undefined || row === undefined) return []
    return existing.followers().filter(({ told }) => told < row.version)
  }

  async #tellAll(): Promise<void> {
    try {
      await this.#untilKnown()
      for (;;) {
        const state = readSnapshot(this.#context.storage)
        const behind = this.#behind
        if (state === undefined || behind.length === 0) return
        const told = await Promise.all(behind.map((row) => this.#tellOne(row, state)))
        // The alarm tries again.
        if (told.includes(false)) return
      }
    } finally {
      this.#isTelling = false
    }
  }

  async #untilKnown(): Promise<void> {
    const createdAt = this.#context.storage.existing?.task()?.created_at ?? 0
    const waitMs = createdAt + FIRST_DELAY_MS - Date.now()
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
  }

  /** False when the session could not be reached. */
  async #tellOne({ session, follower }: FollowerRow, state: TaskSnapshot): Promise<boolean> {
    const { storage, services, report } = this.#context
    const sessions = services.sessions()
    if (sessions === undefined) return false
    try {
      const { name } = storage.readRequest()
      const { result, error: _, ...rest } = state
      // Of the result, the session needs to know only whether it is an error, and which.
      const text = result && errorTextOf(result)
      const failure = { isError: true, content: text === undefined ? [] : [{ type: 'text', text }] }
      const sent = { ...rest, ...(result?.isError === true && { result: failure }) }
      const isKnown = await sessions.taskChanged(JSON.parse(follower), name, sent)
      if (isKnown) storage.existing?.saveTold(session, state.version)
      else storage.existing?.deleteFollower(session)
      return true
    } catch (error) {
      report({ type: 'internal-error', error })
      return false
    }
  }
}
