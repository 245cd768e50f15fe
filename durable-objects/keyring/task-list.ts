/** The tasks of subjects, and how many of them each principal has. */
import { LruMap } from '../../src/platform/lru-map.ts'
import type { TaskPosition } from '../../src/ports/tasks.ts'
import type { Tables } from '../tables.ts'
import type { Statements } from './principals-schema.ts'

/**
 * How many times the limit a principal has tasks in its list at most, with those that were cancelled. A client that
 * starts and cancels tasks in a loop must not fill the storage.
 */
const LISTED_PER_PLACE = 10

/** Principals whose number of tasks a shard keeps in memory. */
const COUNTED_PRINCIPALS = 1000

/** `owner` and `principal` are digests. */
export interface ListedTask extends TaskPosition {
  readonly owner: string
  readonly principal: string
  readonly expiresAt: number
  /** The audience of the server that has the task. */
  readonly server: string
}

export class TaskList {
  readonly #tables: Tables<Statements>
  /** How many tasks a principal has at most: tasks that have left the list, or were cancelled, are in it. */
  readonly #tasksAtMost = new LruMap<number>(COUNTED_PRINCIPALS)

  constructor(tables: Tables<Statements>) {
    this.#tables = tables
  }

  /**
   * Adds a task to the list of its subject. False when its principal has `limit` tasks. Cancelled tasks have
   * freed their places, but at most ten times the limit are listed. A task that has a place keeps it, until the
   * later expiry.
   */
  enter(
    { owner, principal, name, createdAt, expiresAt, server }: ListedTask,
    limit: number,
  ): boolean {
    const { statements } = this.#tables
    // Counting reads the rows of the subject, and the row of a counter would be written by each creation.
    const key = `${owner} ${principal}`
    const known = this.#tasksAtMost.get(key)
    let atMost = known
    if (atMost === undefined || atMost >= limit) {
      statements.deleteExpired('tasks', Date.now())
      const { listed, freed } = statements.countTasks(owner, principal)
      const isFull = listed - freed >= limit || listed >= limit * LISTED_PER_PLACE
      if (isFull && !statements.hasPlace(owner, name)) return false
      atMost = listed
    }
    statements.insertTask({
      owner,
      task: name,
      principal,
      created_at: createdAt,
      expires_at: expiresAt,
      server,
    })
    this.#tasksAtMost.set(key, atMost + 1)
    return true
  }

  /**
   * The tasks after a position, the newest first.
   *
   * @param principal undefined: of every principal
   * @param server undefined: of every server of the Worker
   */
  list(
    owner: string,
    principal: string | undefined,
    after: TaskPosition | undefined,
    limit: number,
    server?: string,
  ): TaskPosition[] {
    const { createdAt, name } = after ?? { createdAt: Number.MAX_SAFE_INTEGER, name: '' }
    const rows = this.#tables.existing?.tasksAfter(
      owner,
      principal ?? null,
      createdAt,
      name,
      limit,
      server ?? null,
    )
    return (rows ?? []).map((row) => ({ name: row.task, createdAt: row.created_at }))
  }
}
